import { parseJson } from '../assignment.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  group: string
  consumer?: string
  agent?: string
  arguments: string
}

export const addTool: AddCommand = (program, terminal) => {
  const tool = program
    .command('tool')
    .description('Call the tools that agents have for a group.')
    .addHelpText(
      'after',
      '\nExample:\n  mortise tool call list_contacts --group acme\n\nTo see them: mortise list tools',
    )
  withFormat(withService(tool.command('call')))
    .description('Call a tool as an agent would, under the rules of the manifest.')
    .argument('<tool>', 'name of the tool')
    .requiredOption('--group <ref>', 'your ref of the group')
    .option('--consumer <ref>', 'your ref of the person whom the agent works for')
    .option('--agent <name>', 'name of the agent, for the log')
    .option('--arguments <json>', 'the arguments, as the schema of the tool says', '{}')
    .addHelpText(
      'after',
      '\nExample:\n  mortise tool call search_contacts --group acme --arguments \'{"where":{"email":"ada@acme.example"}}\'',
    )
    .action(async (toolName: string, options: Options) => {
      const { group, consumer, agent } = options
      const given = parseJson('--arguments', options.arguments)
      if (typeof given !== 'object' || given === null || Array.isArray(given))
        throw new UsageError('--arguments must be a JSON object.')
      const { mortise } = await connectTo(options, terminal)
      const body = {
        groupRef: group,
        ...(consumer !== undefined && { consumerRef: consumer }),
        ...(agent !== undefined && { agent }),
        arguments: given as Record<string, unknown>,
      }
      const called = await mortise.callTool({ toolName, body }, { signal: terminal.signal })
      printData(terminal, options.format, called)
      if (called.isError) throw new Exit(exitCodes.failed)
    })
}
