import { basename } from 'node:path';
import type { Amounts, DiskImage, LeaseType, Millis, SiteSpec } from '../../core/index.ts';
import { TraceError, type TraceErrorCode } from '../errors.ts';
import { LeaseCollector, type ReadOptions, type ReadTrace } from './collector.ts';
import { lwfGrammar } from './lwf-grammar.ts';
import { buildSite, type NodeSet, requiredTypes } from './site.ts';
import type { TextSource } from './source.ts';
import { durationForm, maxCount, parseAmount, parseCount, parseDuration } from './values.ts';
import { type Element, shorten, walkXml } from './xml.ts';

/** The parts of a lease request, in document order. */
interface RequestParts {
  arrival: Millis;
  known: Millis | null;
  duration: Millis | null;
  type: LeaseType | null;
  start: Millis | null;
  deadline: Millis | null;
  machines: readonly Amounts[] | null;
  software: DiskImage | null | undefined;
  preemptible: boolean;
  user: string | null;
}

/** Reads a workload in LWF, Haizea's XML format. Throws TraceError. */
export function readLwf(source: TextSource, options: ReadOptions = {}): ReadTrace {
  const reader = new LwfReader(source, options);
  const lastLine = walkXml(source, lwfGrammar, ['lease-workload'], reader);
  return reader.finish(lastLine);
}

/** Reads the site from a file with a `<site>` alone, or from a workload with one. Throws TraceError. */
export function readSite(source: TextSource): SiteSpec {
  const reader = new LwfReader(source, { ordered: false });
  walkXml(source, lwfGrammar, ['site', 'lease-workload'], reader);
  if (reader.site === null) throw new TraceError('NO_SITE', source.name, null, 'there is no <site>, expected one');
  return reader.site;
}

class LwfReader {
  site: SiteSpec | null = null;
  private readonly collector: LeaseCollector;
  private name: string | null = null;
  private description: string | null = null;
  private readonly attributes: Record<string, string> = {};
  private siteTypes: readonly string[] = [];
  private nodeSets: NodeSet[] = [];
  private capacity: Record<string, number | number[]> = {};
  private instances: number[] = [];
  private readonly nodeTypeLines = new Map<string, number>();
  private request: RequestParts | null = null;

  constructor(
    private readonly source: TextSource,
    options: ReadOptions,
  ) {
    this.collector = new LeaseCollector(source.name, options, 'sort');
  }

  finish(lastLine: number): ReadTrace {
    const { name, description, site, attributes } = this;
    const parts = { name: name ?? basename(this.source.name), description, site, attributes };
    return this.collector.finish(parts, lastLine, 'at least one <lease-request> in <lease-requests>');
  }

  open(element: Element): void {
    const { name, attributes } = element;
    if (name === 'lease-request') {
      this.request = {
        arrival: this.duration(element, 'arrival'),
        known: null,
        duration: null,
        type: null,
        start: null,
        deadline: null,
        machines: null,
        software: undefined,
        preemptible: false,
        user: null,
      };
    } else if (name === 'lease-workload') {
      this.name = attributes.name ?? null;
    } else if (name === 'nodes') {
      this.nodeSets = [];
    } else if (name === 'node-set') {
      this.capacity = {};
    } else if (name === 'res') {
      this.instances = [];
    }
  }

  close(element: Element): void {
    const inSite = element.parent?.name === 'site';
    switch (element.name) {
      case 'description':
        this.description = element.text.trim() === '' ? null : element.text;
        break;
      case 'attr':
        if (element.parent?.name === 'attributes') {
          this.attributes[element.attributes.name as string] = element.attributes.value as string;
        }
        break;
      case 'resource-types':
        this.siteTypes = this.typeNames(element);
        break;
      case 'site':
        this.closeSite(element);
        break;
      case 'instance':
        this.instances.push(this.amount(element, 'amount'));
        break;
      case 'res':
        this.closeResource(element);
        break;
      case 'node-set':
        this.closeNodeSet(element);
        break;
      case 'nodes':
        this.need(element, ['node-set']);
        if (!inSite) this.closeMachines();
        break;
      case 'lease':
        this.closeLease(element);
        break;
      case 'lease-request':
        this.closeRequest(element);
        break;
      case 'lease-workload':
        this.need(element, ['lease-requests']);
        break;
      default:
        if (this.request !== null) this.closePart(element, this.request);
    }
  }

  private typeNames(element: Element): string[] {
    const names = (element.attributes.names as string).split(/[\s,]+/).filter((type) => type !== '');
    const missing = requiredTypes.find((type) => !names.includes(type));
    if (missing !== undefined) {
      this.fail(
        'MISSING_CONTENT',
        element,
        `the resource types are "${shorten(names.join(' '))}", expected ${missing} among them`,
      );
    }
    return [...new Set(names)];
  }

  private closeSite(element: Element): void {
    this.need(element, ['resource-types', 'nodes']);
    this.site = buildSite(this.siteTypes, this.nodeSets);
    for (const { capacity } of this.nodeSets) {
      for (const type of Object.keys(capacity)) {
        if (!this.siteTypes.includes(type)) {
          const line = this.nodeTypeLines.get(type) ?? element.line;
          this.fail(
            'UNKNOWN_RESOURCE_TYPE',
            { line },
            `nodes have "${shorten(type)}", expected one of the site's resource types (${this.siteTypes.join(', ')})`,
          );
        }
      }
    }
  }

  private closeResource(element: Element): void {
    const type = element.attributes.type as string;
    const { amount } = element.attributes;
    const { instances } = this;
    if (Object.hasOwn(this.capacity, type)) {
      this.fail(
        'UNEXPECTED_CONTENT',
        element,
        `a second <res type="${shorten(type)}"> was found in <node-set>, expected one`,
      );
    }
    if ((amount === undefined) === (instances.length === 0)) {
      const found = amount === undefined ? 'neither an amount nor instances' : 'both an amount and instances';
      this.fail('UNEXPECTED_CONTENT', element, `<res type="${shorten(type)}"> has ${found}, expected one of them`);
    }
    const [only, ...more] = amount === undefined ? instances : [this.amount(element, 'amount')];
    this.capacity[type] = more.length === 0 ? (only as number) : instances;
    if (this.request === null) this.nodeTypeLines.set(type, element.line);
    else this.collector.usesType(type, element.line);
  }

  private closeNodeSet(element: Element): void {
    const count = parseCount(element.attributes.numnodes as string);
    if (count === null) this.invalid(element, 'numnodes', `a whole number from 1 to ${maxCount}`);
    this.need(element, ['res']);
    this.nodeSets.push({ count: count as number, capacity: this.collector.interner.machine(this.capacity) });
  }

  private closeMachines(): void {
    if (this.request === null) return;
    const { interner } = this.collector;
    const [first, ...others] = this.nodeSets.map(({ count, capacity }) => interner.machines(count, capacity));
    this.request.machines = others.length === 0 ? (first ?? []) : [first ?? [], ...others].flat();
  }

  private closePart(element: Element, request: RequestParts): void {
    switch (element.name) {
      case 'realduration':
        request.known = this.duration(element, 'time');
        break;
      case 'duration':
        request.duration = this.duration(element, 'time');
        break;
      case 'now':
        request.type = 'IMMEDIATE';
        break;
      case 'exact':
        request.type = 'ADVANCE_RESERVATION';
        request.start = this.duration(element, 'time');
        break;
      case 'start':
        if (element.children.length > 1) {
          this.fail('UNEXPECTED_CONTENT', element, '<start> has both <now> and <exact>, expected one of them');
        }
        request.type ??= 'BEST_EFFORT';
        break;
      case 'deadline':
        request.deadline = this.duration(element, 'time');
        break;
      case 'disk-image':
        request.software = { name: element.attributes.id as string, sizeMb: this.amount(element, 'size') };
        break;
      case 'software':
        if (element.children.length !== 1) {
          this.fail('UNEXPECTED_CONTENT', element, '<software> must have one child, expected <none> or <disk-image>');
        }
        request.software ??= null;
        break;
      default:
    }
  }

  private closeLease(element: Element): void {
    this.need(element, ['nodes', 'start', 'duration', 'software']);
    const request = this.request as RequestParts;
    const preemptible = (element.attributes.preemptible as string).trim().toLowerCase();
    if (preemptible !== 'true' && preemptible !== 'false') this.invalid(element, 'preemptible', 'true or false');
    if (request.deadline !== null) {
      if (request.type === 'IMMEDIATE') {
        this.fail(
          'UNEXPECTED_CONTENT',
          element,
          '<lease> has a <deadline> and starts <now>, expected <start/> or <exact> with a deadline',
        );
      }
      request.type = 'DEADLINE';
    }
    request.preemptible = preemptible === 'true';
    request.user = element.attributes.user ?? null;
  }

  private closeRequest(element: Element): void {
    this.need(element, ['lease']);
    const { arrival, known, duration, type, start, deadline, machines, software, preemptible, user } = this
      .request as RequestParts;
    this.collector.add(element.line, {
      type: type as LeaseType,
      arrival,
      machines: machines as readonly Amounts[],
      duration: duration as Millis,
      knownDuration: known,
      start,
      deadline,
      preemptible,
      image: software ?? null,
      user,
    });
    this.request = null;
  }

  private need(element: Element, children: readonly string[]): void {
    const missing = children.find((child) => !element.children.includes(child));
    if (missing !== undefined) {
      this.fail('MISSING_CONTENT', element, `<${element.name}> has no <${missing}>, expected one`);
    }
  }

  private duration(element: Element, attribute: string): Millis {
    return (
      parseDuration(element.attributes[attribute] as string) ??
      this.invalid(element, attribute, `a duration ${durationForm}`)
    );
  }

  private amount(element: Element, attribute: string): number {
    return (
      parseAmount(element.attributes[attribute] as string) ??
      this.invalid(element, attribute, 'a whole number that is not negative')
    );
  }

  private invalid(element: Element, attribute: string, expected: string): never {
    const value = shorten(element.attributes[attribute] as string);
    return this.fail(
      'INVALID_VALUE',
      element,
      `${attribute}="${value}" was found in <${element.name}>, expected ${expected}`,
    );
  }

  private fail(code: TraceErrorCode, at: { readonly line: number }, detail: string): never {
    throw new TraceError(code, this.source.name, at.line, detail);
  }
}
