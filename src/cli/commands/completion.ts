import { Argument, type Command, type Option } from 'commander';
import { addNotes } from '../help.ts';
import type { Terminal } from '../terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export default function completion(command: Command, terminal: Terminal): void {
  addNotes(
    command,
    terminal,
    'bash: eval "$(leasegraph completion bash)" in ~/.bashrc.',
    'zsh: leasegraph completion zsh > ~/.zfunc/_leasegraph, with fpath+=~/.zfunc before compinit in ~/.zshrc.',
    'fish: leasegraph completion fish > ~/.config/fish/completions/leasegraph.fish.',
  );
  command.addArgument(new Argument('<shell>', 'the shell').choices(shells)).action((shell: Shell) => {
    terminal.out(scripts[shell](command.parent ? nodesOf(command.parent, '') : []));
  });
}

interface Word {
  readonly word: string;
  readonly description: string;
}

interface OptionWord extends Word {
  /** Null: it takes no value. Empty: any value. */
  readonly values: readonly string[] | null;
}

/** What can be completed after a command. */
interface Node {
  /** The words of the command, such as `node drain`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
  /** Values of its first argument; empty for any. */
  readonly values: readonly string[];
}

/** A command and the commands within it. */
function nodesOf(command: Command, path: string): Node[] {
  const visible = command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== 'help');
  const commands = visible.map((each) => ({
    word: each.name(),
    description: each.summary() || each.description().replace(/\.$/, ''),
  }));
  const options = [
    ...command.createHelp().visibleOptions(command),
    ...command.createHelp().visibleGlobalOptions(command),
  ];
  const node: Node = {
    path,
    commands,
    options: options.flatMap((option) =>
      option.long ? { word: option.long, description: option.description, values: valuesOf(option) } : [],
    ),
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [node, ...visible.flatMap((each) => nodesOf(each, `${path} ${each.name()}`.trim()))];
}

function valuesOf({ argChoices, parseArg, required }: Option): readonly string[] | null {
  if (!required) return null;
  const { choices = [] } = (parseArg ?? {}) as { readonly choices?: readonly string[] };
  return argChoices ?? choices;
}

const scripts: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = { bash, zsh, fish };

/** A word of a shell. Option and command names need no quotes inside. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** A `case` that sets `path` to the command before the cursor. Words after the first argument change nothing. */
function pathCases(nodes: readonly Node[]): string {
  return nodes
    .filter(({ path }) => path !== '')
    .map(({ path }) => {
      const words = path.split(' ');
      return quote(`${words.slice(0, -1).join(' ')}/${words.at(-1)}`);
    })
    .join('|');
}

function bash(nodes: readonly Node[]): string {
  const values = nodes.flatMap(({ path, options }) =>
    options.flatMap((option) =>
      option.values === null
        ? []
        : `    ${quote(`${path}/${option.word}`)}) words=${quote(option.values.join(' '))}; takes=value ;;\n`,
    ),
  );
  const words = nodes.map(({ path, commands, options, values: given }) => {
    const list = [...commands.map(({ word }) => word), ...given];
    return `    ${quote(path)}) words=${quote(list.join(' '))} options=${quote(options.map(({ word }) => word).join(' '))} ;;\n`;
  });
  return `_leasegraph() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" options="" takes="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path/\${COMP_WORDS[i]}" in
      ${pathCases(nodes)}) path="\${path:+$path }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path/\${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join('')}  esac
  [ -n "$takes" ] || case "$path" in
${words.join('')}  esac
  case "$current" in
    -*) [ -n "$takes" ] || words="$options" ;;
  esac
  if [ -n "$words" ]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _leasegraph leasegraph
`;
}

function zsh(nodes: readonly Node[]): string {
  const plainText = (text: string) => text.replace(/[[\]:\\]/g, (character) => `\\${character}`);
  const optionSpec = ({ word, description, values }: OptionWord) => {
    const value = values === null ? '' : `:value:${values.length > 0 ? `(${values.join(' ')})` : '_files'}`;
    return `        ${quote(`*${word}[${plainText(description)}]${value}`)}\n`;
  };
  const cases = nodes.map(({ path, commands, options, values }) => {
    const list = commands.map(({ word, description }) => ` ${quote(`${word}:${description}`)}`).join('');
    const describe = commands.length > 0 ? `      commands=(${list})\n` : '';
    const specs = options.map(optionSpec).join('');
    const rest = values.length > 0 ? `*:value:(${values.join(' ')})` : '*:file:_files';
    return `    ${quote(path)})\n${describe}      specs=(\n${specs}        ${quote(rest)}\n      )\n      ;;\n`;
  });
  return `#compdef leasegraph
_leasegraph() {
  local path_="" depth=1 i
  local -a commands specs
  for ((i = 2; i < CURRENT; i++)); do
    case "$path_/\${words[i]}" in
      ${pathCases(nodes)})
        path_="\${path_:+$path_ }\${words[i]}"
        depth=$i
        ;;
    esac
  done
  shift $((depth - 1)) words
  ((CURRENT -= depth - 1))
  case "$path_" in
${cases.join('')}  esac
  if [[ CURRENT -eq 2 && $#commands -gt 0 && "\${words[2]}" != -* ]]; then
    _describe command commands
  else
    _arguments $specs
  fi
}
if [ "$funcstack[1]" = "_leasegraph" ]; then
  _leasegraph "$@"
else
  compdef _leasegraph leasegraph
fi
`;
}

function fish(nodes: readonly Node[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = nodes.flatMap(({ path, commands, options, values }) => {
    const here = `complete -c leasegraph -n ${quoted(`test (__leasegraph_path) = ${quoted(path)}`)}`;
    return [
      ...commands.map(({ word, description }) => `${here} -f -a ${word} -d ${quoted(description)}\n`),
      ...(values.length > 0 ? [`${here} -f -a ${quoted(values.join(' '))}\n`] : []),
      ...options.map(({ word, description, values: given }) => {
        const value = given === null ? '' : given.length > 0 ? ` -x -a ${quoted(given.join(' '))}` : ' -r -F';
        return `${here} -l ${word.slice(2)}${value} -d ${quoted(description)}\n`;
      }),
    ];
  });
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `function __leasegraph_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim -- "$path $word")
    contains -- $longer ${paths.join(' ')}; and set path $longer
  end
  echo "$path"
end
${lines.join('')}`;
}
