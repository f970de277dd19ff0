import { MortiseProblem, MortiseUnreachable } from '@mortise/client'
import { Command, CommanderError } from 'commander'
import { commands } from './commands/index.ts'
import { Exit } from './exit.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { NotFound } from './service/not-found.ts'
import { NotSignedIn } from './service/not-signed-in.ts'
import { printable } from './terminal/print.ts'
import { Interrupted, type Terminal } from './terminal/terminal.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

/** The program with every command. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('mortise')
    .description('Connect your product to your customers’ accounts: deploy, connect, read, follow.')
    .version(version, '-v, --version')
    .showHelpAfterError('(mortise --help lists every command)')
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      getOutHasColors: () => terminal.out.isColorSupported,
      getErrHasColors: () => terminal.err.isColorSupported,
    })
    .exitOverride()
    // Commander answers `mortise foo --help` with the help of `mortise` and exit code 0.
    .addHelpText('beforeAll', ({ error, command }) => {
      const name = command.args.find((argument) => !argument.startsWith('-'))
      if (!error && command.commands.length > 0 && name !== undefined) refuseUnknown(command, name)
      return ''
    })
  for (const add of commands) add(program, terminal)
  return program
}

/** Ends with a usage error unless the command has a subcommand of this name. */
function refuseUnknown(command: Command, name: string): void {
  const known = command.commands.some((below) => below.name() === name) || name === 'help'
  if (!known) command.error(`error: unknown command '${printable(name)}'`, { code: 'commander.unknownCommand' })
}

/** Runs one command line. Answers its exit code; nothing is thrown. */
export async function run(argv: string[], terminal: Terminal): Promise<ExitCode> {
  try {
    await createProgram(terminal).parseAsync(argv, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    return report(error, terminal)
  }
}

function report(error: unknown, { stderr, err, signal }: Terminal): ExitCode {
  const say = (sentence: string) => stderr.write(`${err.red('error')} ${printable(sentence)}\n`)
  if (error instanceof Exit) return error.code
  if (error instanceof Interrupted || signal.aborted) return exitCodes.cancelled
  // Commander has printed its own sentence.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
  say(sentenceOf(error as Error))
  if (error instanceof UsageError) return exitCodes.usage
  if (error instanceof NotSignedIn) return exitCodes.notAllowed
  if (error instanceof NotFound) return exitCodes.notFound
  if (error instanceof MortiseUnreachable) return exitCodes.unreachable
  if (error instanceof MortiseProblem) {
    const { remedy } = error.document
    if (remedy && !isInvalidInput(error)) stderr.write(`${printable(remedy)}\n`)
    if (error.requestId) stderr.write(`${err.dim(`code ${error.code}, request ${error.requestId}`)}\n`)
    if (error.status === 404) return exitCodes.notFound
    return error.status === 401 || error.status === 403 ? exitCodes.notAllowed : exitCodes.failed
  }
  return exitCodes.failed
}

/** The issues alone of what the service calls invalid: the sentences around them speak of the document that they stand in. */
function sentenceOf(error: Error): string {
  if (!isInvalidInput(error)) return error.message
  const [, ...issues] = error.message.split('\n')
  return ['Some of this is not valid:', ...issues].join('\n')
}

function isInvalidInput(error: Error): error is MortiseProblem {
  return error instanceof MortiseProblem && error.code === 'invalid-input' && error.issues.length > 0
}
