import { Option } from 'commander'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { scope: 'full' | 'frontend' }

export const addCreateApiKey: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('api-key')))
    .description('Create an API key, and show it.')
    .argument('<label>', 'what it is for, for people')
    .addOption(
      new Option('--scope <scope>', 'full: everything; frontend: what a page in a browser needs')
        .choices(['full', 'frontend'])
        .default('full'),
    )
    .addHelpText('after', '\nExample:\n  mortise create api-key ci --format json')
    .action(async (label: string, { scope, ...options }: Options) => {
      const { mortise } = await connectTo(options, terminal)
      const made = await mortise.createApiKey({ body: { label, scopes: [scope] } }, { signal: terminal.signal })
      printData(terminal, options.format, made)
    })
}
