import { Command, CommanderError } from 'commander'
import { commands } from './commands/index.ts'
import { Exit } from './exit.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { explainError } from './explain-error.ts'
import { helpStyle, pointToHelp } from './help.ts'
import { printable } from './terminal/print.ts'
import { Interrupted, type Terminal } from './terminal/terminal.ts'
import { usageMessage } from './usage-message.ts'
import { version } from './version.ts'

/** The program with every command. */
export function createProgram(terminal: Terminal): Command {
  const { err } = terminal
  const program = new Command('mortise')
    .description('Connect your product to the SaaS accounts of your customers.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .configureHelp(helpStyle(terminal))
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(`${err.red('error')} ${printable(usageMessage(text))}\n`),
      getOutHasColors: () => terminal.out.isColorSupported,
      getErrHasColors: () => err.isColorSupported,
    })
    .exitOverride()
    .addHelpText('after', '\nRun `mortise <command> --help` for its options and examples.')
    // Commander answers `mortise foo --help` with the help of `mortise` and exit code 0.
    .addHelpText('beforeAll', ({ error, command }) => {
      const name = command.args.find((argument) => !argument.startsWith('-'))
      if (!error && command.commands.length > 0 && name !== undefined) refuseUnknown(command, name)
      return ''
    })
  for (const { group, add } of commands) {
    program.commandsGroup(`${group}:`)
    for (const addOne of add) addOne(program, terminal)
  }
  // In the group of the last commands.
  program.helpCommand('help [command]', 'Show the help of a command')
  pointToHelp(program)
  return program
}

/** Ends with a usage error unless the command has a subcommand of this name. */
function refuseUnknown(command: Command, name: string): void {
  const known = command.commands.some((below) => below.name() === name) || name === 'help'
  if (!known) command.error(`error: unknown command '${printable(name)}'`, { code: 'commander.unknownCommand' })
}

/** Runs one command line. Returns its exit code; nothing is thrown. */
export async function run(argv: string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await createProgram(terminal).parseAsync(argv, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return report(error, terminal)
  }
}

function report(error: unknown, { stderr, err, signal }: Terminal): ExitCode {
  if (error instanceof Exit) return error.code
  if (error instanceof Interrupted || signal.aborted) return exitCodes.cancelled
  // Commander has printed its own sentence.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  const { code, sentence, nextStep, reference } = explainError(error as Error)
  stderr.write(`${err.red('error')} ${printable(sentence)}\n`)
  if (nextStep !== undefined) stderr.write(`${printable(nextStep)}\n`)
  if (reference !== undefined) stderr.write(`${err.dim(printable(reference))}\n`)
  return code
}
