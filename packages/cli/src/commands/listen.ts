import { InvalidArgumentError } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import type { Received } from '../listening/index.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printItem } from '../terminal/print.ts'

interface Options extends ServiceOptions, FormatOptions {
  forward?: string
  allowRemote: boolean
  print: boolean
  latest: number
}

export const addListen: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('listen')))
    .description('Show the messages of a destination as they arrive, and forward them to this computer.')
    .argument('<destination>', 'id or name of the destination')
    .option('--forward <url>', 'post each message to this URL, as the destination would get it')
    .option('--allow-remote', 'forward to another computer, too', false)
    .option('--print', 'show the bodies', false)
    .option('--latest <count>', 'start with this many earlier messages', countOf, 0)
    .addHelpText('after', '\nExample:\n  mortise listen crm-events --forward http://localhost:3000/hooks')
    .action(async (idOrName: string, options: Options) => {
      const { signal, stderr, stdout, out } = terminal
      const { format, latest } = options
      const { forwardUrl, receivedLine, startBefore, forwardMessages } = await import('../listening/index.ts')
      const to = options.forward === undefined ? undefined : forwardUrl(options.forward, options.allowRemote)
      const { mortise } = await connectTo(options, terminal)
      const { id, name } = await mortise.getDestination({ destination: idOrName }, { signal })
      const start = await startBefore(mortise, { destination: id, latest, signal })
      stderr.write(`Listening to ${printable(name)}${to ? `, forwarding to ${to.href}` : ''}. Ctrl-C ends it.\n`)
      for await (const received of forwardMessages(mortise, { destination: id, start, to, signal })) {
        if (format === 'text') stdout.write(receivedLine(received, out))
        else printItem(terminal, format, await dataOf(received, options))
        if (received.event !== 'message') continue
        const { message, fault } = received
        if (format === 'text' && options.print) stdout.write(`${printable(message.body ?? '')}\n`)
        if (fault !== undefined)
          stderr.write(
            `${terminal.err.red('error')} ${printable(message.id)}: its signature is not valid (${printable(fault)})\n`,
          )
      }
    })
}

/** As programs get it. */
async function dataOf(received: Received, options: Options): Promise<Record<string, unknown>> {
  const { event, message } = received
  if (event === 'forwarded') return { event, id: message.id, ...received.forwarded }
  const { body, headers: _, ...rest } = message
  if (event === 'state') return { event, ...rest }
  const { contentsOf } = await import('../listening/index.ts')
  const { objectName, records } = contentsOf(message)
  return {
    event,
    ...rest,
    ...(objectName !== undefined && { objectName }),
    ...(records !== undefined && { records }),
    verified: received.fault === undefined,
    ...(options.print && { body }),
  }
}

function countOf(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new InvalidArgumentError('Write a number up to 999.')
  return Number(text)
}
