import { text } from 'node:stream/consumers'
import type { Input, Output } from '@mortise/client'
import { Option } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { parseTime } from '../parse-time.ts'
import { pluralize } from '../pluralize.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  failed?: boolean
  from?: string
  to?: string
  destination?: string
  states?: 'failed' | 'delivered' | 'all'
  wait: boolean
}
type Replay = Output<'getMessageReplay'>
type Selection = Input<'replayMessages'>['body']

export const addReplay: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('replay')))
    .description('Send messages again: by id, of a period, or all that failed.')
    .argument('[messages...]', 'ids of messages; - reads them from standard input')
    .option('--failed', 'all messages that failed to --destination')
    .option('--from <time>', 'messages posted from this time on: 2026-01-31T12:00:00Z, or 2h for two hours ago')
    .option('--to <time>', 'messages posted before this time; until now without it')
    .option('--destination <idOrName>', 'messages to this destination alone')
    .addOption(
      new Option('--states <states>', 'with --from: failed messages (default), delivered messages, or all').choices([
        'failed',
        'delivered',
        'all',
      ]),
    )
    .option('--no-wait', 'start it, print the replay, and do not wait')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise replay --failed --destination crm-events\n  mortise replay --from 2h --states all',
    )
    .action(async (given: string[], options: Options) => {
      const { signal, stderr } = terminal
      const body = selectionOf(await idsOf(given, terminal), options)
      const { mortise } = await connectTo(options, terminal)
      const begun = await mortise.replayMessages({ body }, { signal })
      const replayId = begun.id
      const ended = options.wait ? await follow() : begun
      if (options.format !== 'text') printData(terminal, options.format, ended)
      else terminal.stdout.write(`${sentence(ended)}\n`)
      if (ended.missing > 0) throw new Exit(exitCodes.failed)

      async function follow(): Promise<Replay> {
        const { waitUntil } = await import('../following/wait-until.ts')
        const { createProgress } = await import('../terminal/progress.ts')
        const progress = createProgress(terminal)
        const ask = async () => {
          const replay = await mortise.getMessageReplay({ replayId }, { signal })
          progress.show(`${replay.requeued.toLocaleString('en')} messages are sent again`)
          return replay
        }
        return await waitUntil(ask, ({ status }) => status === 'done', signal)
          .finally(progress.end)
          .catch((error: unknown) => {
            if (signal.aborted)
              stderr.write(`The replay continues. \`mortise get replay ${replayId}\` shows its status.\n`)
            throw error
          })
      }
    })
}

async function idsOf(given: string[], { stdin }: Terminal): Promise<string[]> {
  if (!given.includes('-')) return given
  return [...given.filter((id) => id !== '-'), ...(await text(stdin)).split(/\s+/).filter(Boolean)]
}

function selectionOf(messageIds: string[], { failed, from, to, destination, states }: Options): Selection {
  const selections = [messageIds.length > 0, failed, from !== undefined].filter(Boolean).length
  if (selections !== 1)
    throw new UsageError(
      'Name the messages: their ids, or --failed with --destination, or --from with an optional --to.',
    )
  if (from === undefined && (to !== undefined || states !== undefined))
    throw new UsageError('--to and --states need --from.')
  if (failed) {
    if (destination === undefined) throw new UsageError('--failed needs --destination.')
    return { failedOf: destination }
  }
  if (from === undefined) {
    if (destination !== undefined) throw new UsageError('Leave out --destination when you name messages by id.')
    if (messageIds.length > 1_000)
      throw new UsageError('A replay takes at most 1,000 ids. Replay the rest in another one.')
    return { messageIds }
  }
  return {
    range: {
      from: parseTime(from),
      to: parseTime(to ?? '0s'),
      ...(destination !== undefined && { destination }),
      ...(states && { states: states === 'all' ? ['failed', 'delivered'] : [states] }),
    },
  }
}

function sentence({ id, status, requeued, skipped, missing }: Replay): string {
  if (status !== 'done') return `${id} ${status}`
  const parts = [
    `${pluralize(requeued, 'message')} ${requeued === 1 ? 'is' : 'are'} sent again`,
    ...(skipped > 0 ? [`${skipped} skipped: still pending`] : []),
    ...(missing > 0 ? [`${missing} missing: deleted, or never existed`] : []),
  ]
  return `${id} ${status}: ${parts.join('; ')}`
}
