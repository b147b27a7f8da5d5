import { execFileSync } from 'node:child_process';
import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { siteOption } from '../../src/config/index.ts';
import { loadWorkload } from '../../src/simulation/load.ts';
import { cli } from './terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'leasegraph-convert-'));
afterAll(() => rmSync(folder, { recursive: true }));

const path = (name: string) => join(folder, name);
const file = (name: string, text: string) => {
  writeFileSync(path(name), text);
  return path(name);
};

const mkfifo = (name: string) => execFileSync('mkfifo', [name]);

const traces = {
  'a.swf': '; SWF\n1 0 -1 100 2 -1 -1 2 200 -1 1 7 -1 -1 1 -1 -1 -1\n',
  'b.txt': "0 -1 3600 1800 2 1 1024 0 'x.img' 600\n60 2700 900 900 4 2 512 10 y 1024\n",
  'c.csv': '0;0;nfs:///i/x.img;600;2;1024;50;RW;1800;3600;900;AR\n',
};

describe('convert', () => {
  it.each(Object.entries(traces))('turns %s into the same workload in LWF', async (name, text) => {
    const input = file(name, text);
    const output = path(`${name}.lwf`);
    const site = '8 CPU:200 Memory:1024';
    const { status, out, err } = await cli('convert', input, output, '--site', site);
    expect([status, err]).toEqual([0, '']);
    expect(out).toMatch(/\.lwf: \d leases, a site of 8 nodes\n$/);
    const { workload } = loadWorkload({ trace: input }, siteOption(site));
    expect(loadWorkload({ trace: output }, null).workload).toEqual(workload);
  });

  it('normalises LWF: a second time changes nothing', async () => {
    const input = file(
      'd.lwf',
      `<lease-workload name="d"><lease-requests>
<lease-request arrival="01:00"><lease user="u" preemptible="TRUE"><software><none></none></software><duration time="1:00:00:00"/><start></start>
<nodes><node-set numnodes="1"><res amount="100" type="CPU"/></node-set><node-set numnodes="2"><res amount="100" type="CPU"/></node-set></nodes></lease></lease-request>
<lease-request arrival="00:30"><lease preemptible="false"><software><none/></software><duration time="10:00"/><start><exact time="12:00"/></start>
<nodes><node-set numnodes="1"><res type="CPU"><instance amount="100"/><instance amount="50"/></res></node-set></nodes></lease></lease-request>
</lease-requests></lease-workload>`,
    );
    const { err } = await cli('convert', input, path('d1.lwf'));
    expect(err).toMatch(/^leasegraph: warning: .*d\.lwf:4: the request arrives at 1800 s, before the one above it/);
    const { out } = await cli('convert', path('d1.lwf'), '-');
    expect(out).toMatchInlineSnapshot(`
      "<?xml version="1.0"?>
      <lease-workload name="d">
        <lease-requests>
          <lease-request arrival="00:30:00.00">
            <lease id="1" preemptible="false">
              <nodes>
                <node-set numnodes="1"><res type="CPU"><instance amount="100"/><instance amount="50"/></res></node-set>
              </nodes>
              <start><exact time="12:00:00.00"/></start>
              <duration time="10:00:00.00"/>
              <software><none/></software>
            </lease>
          </lease-request>
          <lease-request arrival="01:00:00.00">
            <lease id="2" preemptible="true" user="u">
              <nodes>
                <node-set numnodes="3"><res type="CPU" amount="100"/></node-set>
              </nodes>
              <start/>
              <duration time="24:00:00.00"/>
              <software><none/></software>
            </lease>
          </lease-request>
        </lease-requests>
      </lease-workload>
      "
    `);
  });

  it('tells as JSON what it wrote', async () => {
    const { out } = await cli('convert', file('a.swf', traces['a.swf']), path('o.lwf'), '--json');
    expect(JSON.parse(out)).toEqual({ output: path('o.lwf'), leases: 1, nodes: null });
  });

  it('writes through a link, and to what is no plain file', async () => {
    const input = file('a.swf', traces['a.swf']);
    writeFileSync(path('target.lwf'), '');
    symlinkSync(path('target.lwf'), path('link.lwf'));
    expect((await cli('convert', input, path('link.lwf'))).status).toBe(0);
    expect(lstatSync(path('link.lwf')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path('target.lwf'), 'utf8')).toContain('<lease-request ');
    mkfifo(path('pipe'));
    const reading = readFile(path('pipe'), 'utf8');
    expect((await cli('convert', input, path('pipe'))).status).toBe(0);
    expect(await reading).toContain('<lease-request ');
    expect(lstatSync(path('pipe')).isFIFO()).toBe(true);
  });

  it('refuses what it cannot read or write, and leaves nothing behind', async () => {
    const output = path('bad.lwf');
    const { status, err } = await cli('convert', file('bad.csv', '1;2\n'), output);
    expect(status).toBe(1);
    expect(err).toMatch(/^leasegraph: .*bad\.csv:1: 2 fields were found \("1;2"\), expected 12 or 10[^\n]*\n$/);
    expect(() => readFileSync(output)).toThrow('ENOENT');
    expect((await cli('convert', file('a.swf', traces['a.swf']), folder)).err).toMatch(/is a directory, expected/);
    expect((await cli('convert', 'x')).err).toBe("leasegraph: missing required argument 'out' (see --help)\n");
  });
});
