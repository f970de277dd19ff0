import { resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { AddCommand } from '../command.ts'
import { manifestNames } from '../manifest/manifest-names.ts'

interface Options {
  port?: number
  crmPort?: number
  listenPort?: number
  dataDir?: string
  sampleCrm: boolean
  forward?: string
}

export const addDev: AddCommand = (program, terminal) => {
  program
    .command('dev')
    .description('Run a service for a manifest, and deploy it whenever you save it.')
    .argument(
      '[path]',
      `the manifest, or a folder that has one (${manifestNames.join(', ')}; default: the current folder)`,
    )
    .option('--port <port>', 'of the service (default: 4100, or a free one)', portOf)
    .option('--crm-port <port>', 'of the sample CRM (default: 4200, or a free one)', portOf)
    .option('--listen-port <port>', 'where messages arrive (default: 4102, or a free one)', portOf)
    .option('--data-dir <folder>', 'the data folder (MORTISE_DATA_DIR; default: .mortise)')
    .option('--no-sample-crm', 'without the sample CRM and the group demo')
    .option('--forward <url>', 'pass messages on to an endpoint on this computer')
    .addHelpText('after', '\nExample:\n  mortise dev --forward http://localhost:3000/hooks')
    .action(async (path: string | undefined, options: Options) => {
      const { runDev } = await import('../dev/run-dev.ts')
      const { env, cwd } = terminal
      const { port, crmPort, listenPort, sampleCrm, forward } = options
      const dataDir = resolve(cwd, options.dataDir ?? env['MORTISE_DATA_DIR'] ?? '.mortise')
      await runDev({ path, port, crmPort, listenPort, sampleCrm, forward, dataDir }, terminal)
    })
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('Write a port from 1 to 65535.')
  return port
}
