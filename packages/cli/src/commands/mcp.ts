import { type AddCommand, withService } from '../command.ts'
import type { McpOptions } from '../mcp/index.ts'

export const addMcp: AddCommand = (program, terminal) => {
  withService(program.command('mcp'))
    .description('Serve tools for a coding agent, by the Model Context Protocol on standard input and output.')
    .option('--allow-writes', 'also offer tools that change things, such as deploy')
    .option('--show-records', 'show contents of records, too')
    .option(
      '--folder <path>',
      'tools read manifests and provider files below this folder (default: the current folder)',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  mortise mcp --folder integrations\n  mortise mcp --allow-writes --project staging',
    )
    .action(async (options: McpOptions) => {
      const { serveMcp } = await import('../mcp/index.ts')
      await serveMcp(options, terminal)
    })
}
