import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

export const addCreateTopic: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('topic')))
    .description('Create a topic, which sends events to destinations.')
    .argument('<name>', 'letters, digits and dashes')
    .addHelpText('after', '\nExample:\n  mortise create topic health')
    .action(async (name: string, options: ServiceOptions & FormatOptions) => {
      const { mortise } = await connectTo(options, terminal)
      printData(terminal, options.format, await mortise.createTopic({ body: { name } }, { signal: terminal.signal }))
    })
}
