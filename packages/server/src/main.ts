import process from 'node:process'
import { readCommandLine } from './command-line.ts'
import { readConfig } from './config.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { fail } from './fail.ts'
import { createLogger } from './kernel/telemetry/logger.ts'

/**
 * `npm start`: reads the configuration, and starts the service. The embedded PostgreSQL starts while the modules of the
 * service load, so this file imports little.
 */

const commandLine = readCommandLine(process.argv.slice(2))
if ('show' in commandLine) {
  const { show, exitCode } = commandLine
  ;(exitCode === 0 ? process.stdout : process.stderr).write(show)
  process.exitCode = exitCode
} else {
  await start(commandLine).catch(fail)
}

async function start({ newKey }: { newKey: boolean }): Promise<void> {
  const config = readConfig(process.env)
  const log = createLogger({ level: config.logLevel })
  const embedded = config.databaseUrl === undefined ? startEmbeddedServer(config, log) : undefined
  // `openStorage` waits for it, and reports a failed start.
  embedded?.catch(() => undefined)
  const { serve } = await import('./serve.ts')
  await serve({ config, log, embedded, newKey })
}
