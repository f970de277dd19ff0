import type { Output } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { timeText } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Overview = Output<'getOverview'>

export const addOverview: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('overview')))
    .description('Show what fails and waits in a project, and what it did in the last 24 hours.')
    .addHelpText('after', '\nExample:\n  mortise overview')
    .action(async (options: ServiceOptions & FormatOptions) => {
      const { mortise } = await connectTo(options, terminal)
      const overview = await mortise.getOverview({}, { signal: terminal.signal })
      if (options.format !== 'text') return printData(terminal, options.format, overview)
      terminal.stdout.write(printable(`${linesOf(overview).join('\n')}\n`))
    })
}

const numberOf = ({ count, capped }: { count: number; capped: boolean }) => `${count}${capped ? '+' : ''}`

function linesOf({ installations, failing, connections, backlog, running, lastDay, dayBefore }: Overview): string[] {
  const { oldestTime } = backlog
  const queued = backlog.destinations.filter(
    ({ waiting, deadLetters, state }) => waiting.count + deadLetters.count > 0 || state !== 'active',
  )
  return [
    `Installations: ${installations.total}, ${numberOf(installations.unhealthy)} unhealthy`,
    ...failing.filter(({ count }) => count > 0).map((one) => `  ${one.reason}: ${numberOf(one)}`),
    `Connections: ${connections.working} working, ${connections.created} new, ${connections.bad_credentials} refused`,
    `Waiting messages: ${numberOf(backlog.waiting)}${oldestTime ? `, the oldest since ${timeText(oldestTime)}` : ''}`,
    ...queued.map((one) => {
      const dead = one.deadLetters.count > 0 ? `, dead letters: ${numberOf(one.deadLetters)}` : ''
      return `  ${one.destinationName} (${one.state}): ${numberOf(one.waiting)}${dead}`
    }),
    `Dead letters: ${numberOf(backlog.deadLetters)}`,
    `Running: ${numberOf(running.backfills)} backfills, ${numberOf(running.triggeredReads)} triggered reads`,
    'Last 24 hours (24 hours before):',
    `  reads: ${lastDay.reads} (${dayBefore.reads}), failed: ${lastDay.failedReads} (${dayBefore.failedReads})`,
    `  records: ${lastDay.recordsRead} (${dayBefore.recordsRead})`,
    `  deliveries: ${lastDay.deliveries} (${dayBefore.deliveries}), failed: ${lastDay.failedDeliveries} (${dayBefore.failedDeliveries})`,
  ]
}
