import { collect } from '../collect.ts'
import type { AddCommand } from '../command.ts'

interface Options {
  name?: string
  out?: string
  input?: string[]
}

export const addProviderLearn: AddCommand = (provider, terminal) => {
  provider
    .command('learn')
    .description('Write a first provider file, from an OpenAPI document or a recording (HAR) of requests.')
    .argument('<file>', 'an OpenAPI 3 document (JSON or YAML), or a HAR recording')
    .option('--name <name>', 'name of the provider (default: from the title, or from --out)')
    .option('-o, --out <file>', 'the provider file to write; it must not exist (default: stdout)')
    .option('--input <parameter>', 'a parameter of paths that each customer enters; can be repeated', collect, [])
    .addHelpText('after', '\nExample:\n  mortise provider learn openapi.yaml --out providers/acme.yaml')
    .action(async (file: string, options: Options) => {
      const { learnProvider } = await import('../provider-learning/index.ts')
      await learnProvider(file, options, terminal)
    })
}
