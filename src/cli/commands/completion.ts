import { Argument, Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const

const EXAMPLES = `
Examples:
  $ eval "$(sluice completion bash)"                 in ~/.bashrc
  $ eval "$(sluice completion zsh)"                  in ~/.zshrc, after compinit
  $ sluice completion fish > ~/.config/fish/completions/sluice.fish`

/** `createAll` makes the program with all its commands and flags. */
export function completionCommand(createAll: () => Promise<Command>): Command {
  const command = new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
  return command.action(async (shell: (typeof SHELLS)[number]) => {
    const words = wordsOf(await createAll())
    process.stdout.write(SCRIPTS[shell](words))
  })
}

interface Word {
  readonly name: string
  readonly description: string
}

interface CommandWords extends Word {
  readonly flags: readonly Word[]
}

function wordsOf(program: Command): CommandWords[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    flags: command.options
      .filter((option) => !option.hidden && typeof option.long === 'string')
      .map((option) => ({ name: option.long ?? '', description: option.description })),
  }))
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

const flagsOf = ({ flags }: CommandWords): string => flags.map(({ name }) => name).join(' ')

/** A word that is not a flag completes to files: sources and folders. */
function bash(commands: readonly CommandWords[]): string {
  const cases = commands.map((command) => `    ${command.name}) flags=${quoted(flagsOf(command))} ;;`)
  return `_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} flags=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted(commands.map(({ name }) => name).join(' '))} -- "$word"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $word in -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;; esac
}
complete -o default -F _sluice sluice ./sluice
`
}

function zsh(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name, description }) => `    ${quoted(`${name}:${description.replaceAll(':', ' ')}`)}`)
  const cases = commands.map((command) => `    ${command.name}) flags=(${flagsOf(command)}) ;;`)
  return `_sluice() {
  local -a names flags
  names=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  case $words[2] in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then compadd -- $flags; else _files; fi
}
compdef _sluice sluice
`
}

function fish(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(({ name, description, flags }) => [
    `complete -c sluice -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
    ...flags.map(
      (flag) =>
        `complete -c sluice -n '__fish_seen_subcommand_from ${name}' -l ${flag.name.slice(2)} -d ${quoted(flag.description)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}

const SCRIPTS = { bash, zsh, fish } as const
