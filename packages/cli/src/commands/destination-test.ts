import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions

export const addDestinationTest: AddCommand = (destination, terminal) => {
  withFormat(withService(destination.command('test')))
    .description('Send one signed test message to a destination, and show the answer.')
    .argument('<destination>', 'id or name of the destination')
    .addHelpText('after', '\nExample:\n  mortise destination test crm-events')
    .action(async (idOrName: string, options: Options) => {
      const { signal, stdout, stderr, out } = terminal
      const { mortise } = await connectTo(options, terminal)
      const result = await mortise.testDestination({ destination: idOrName }, { signal })
      const { delivered, status, durationMs, error, response, checkedOnly, destinations = [] } = result
      if (options.format !== 'text') printData(terminal, options.format, result)
      else {
        const answer = status === undefined ? '' : `HTTP ${status}, `
        const took = `(${answer}${durationMs} ms)`
        const name = printable(idOrName)
        const [good, bad] = checkedOnly ? ['Checked', 'Not ready:'] : ['Delivered to', 'Not delivered to']
        stdout.write(`${delivered ? out.green(good) : out.red(bad)} ${name} ${took}.\n`)
        if (checkedOnly && delivered) stdout.write('It can store messages. Nothing was sent.\n')
        if (error !== undefined) stdout.write(printable(`${error}\n`))
        for (const one of destinations) {
          const said = one.status === undefined ? '' : `, HTTP ${one.status}`
          const [good, bad] = one.checkedOnly ? ['checked', 'not ready'] : ['delivered', 'not delivered']
          const how = one.delivered ? out.green(good) : out.red(bad)
          const why = one.error === undefined ? '' : ` ${one.error}`
          stdout.write(`  ${printable(one.destinationName)}: ${how}${said}, ${one.durationMs} ms.${printable(why)}\n`)
        }
        if (!delivered && response) stdout.write(`${out.dim('The answer begins:')}\n${printable(response)}\n`)
      }
      if (delivered) return
      if (options.format === 'text')
        stderr.write(
          'Correct the endpoint or its settings, and test again. The test changes no state of the destination.\n',
        )
      throw new Exit(exitCodes.failed)
    })
}
