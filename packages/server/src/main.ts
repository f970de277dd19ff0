import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { readConfig } from './config.ts'
import { startEmbeddedServer } from './embedded-server.ts'
import { fail } from './fail.ts'
import { keepTickShape } from './keep-tick-shape.ts'
import { createLogger } from './kernel/telemetry/logger.ts'
import { findSupervised, serveSupervised } from './supervised.ts'

/**
 * `npm start`: reads the configuration, and starts the service in this process, or in several under this one. The
 * embedded PostgreSQL starts while the modules of the service load, so this file imports little.
 */

keepTickShape()

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
  const supervised = findSupervised(process.env)
  if (supervised) return serveSupervised(config, supervised)
  const log = createLogger({ level: config.logLevel })
  const embedded = config.databaseUrl === undefined ? startEmbeddedServer(config, log) : undefined
  // The next ones wait for it, and report a failed start.
  embedded?.catch(() => undefined)
  if (config.processes > 1) {
    const { supervise } = await import('./supervisor.ts')
    return supervise({ config, log, embedded, newKey, program: fileURLToPath(import.meta.url) })
  }
  const { serve } = await import('./serve.ts')
  await serve({ config, log, embedded, newKey })
}
