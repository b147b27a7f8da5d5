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
    const commands = command.parent?.commands ?? [];
    terminal.out(scripts[shell](commands));
  });
}

const scripts: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

function optionsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function flagsOf(command: Command): string[] {
  return optionsOf(command).flatMap(({ long }) => long ?? []);
}

function bash(commands: readonly Command[]): string {
  const cases = commands
    .map((each) => `    ${each.name()}) words="${flagsOf(each).join(' ')}" ;;\n`)
    .join('');
  return `_leasegraph() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map((each) => each.name()).join(' ')}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
    *) COMPREPLY=($(compgen -f -- "$current")) ;;
  esac
}
complete -o filenames -F _leasegraph leasegraph
`;
}

function zsh(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replace(/'/g, "'\\''")}'`;
  const list = commands.map((each) => `    ${quote(`${each.name()}:${each.summary()}`)}\n`).join('');
  const describe = ({ long, description, required }: Option) => {
    const text = description.replace(/[[\]:]/g, (character) => `\\${character}`);
    return `        ${quote(`*${long}[${text}]${required ? ':value:_files' : ''}`)} \\\n`;
  };
  const cases = commands
    .map((each) => {
      const options = optionsOf(each)
        .filter(({ long }) => long)
        .map(describe)
        .join('');
      return `    ${each.name()})\n      _arguments \\\n${options}        '*:file:_files'\n      ;;\n`;
    })
    .join('');
  return `#compdef leasegraph
_leasegraph() {
  local -a commands
  commands=(
${list}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases}  esac
}
if [ "$funcstack[1]" = "_leasegraph" ]; then
  _leasegraph "$@"
else
  compdef _leasegraph leasegraph
fi
`;
}

function fish(commands: readonly Command[]): string {
  const quote = (text: string) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
  const lines = commands.flatMap((each) => {
    const name = each.name();
    const seen = quote(`__fish_seen_subcommand_from ${name}`);
    return [
      `complete -c leasegraph -f -n __fish_use_subcommand -a ${name} -d ${quote(each.summary())}\n`,
      ...optionsOf(each)
        .filter(({ long }) => long)
        .map(({ long, description, required }) => {
          const value = required ? ' -r' : '';
          return `complete -c leasegraph -n ${seen} -l ${long?.slice(2)}${value} -d ${quote(description)}\n`;
        }),
    ];
  });
  return lines.join('');
}
