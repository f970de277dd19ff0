import { createRequire } from 'node:module'

/** Turns off the log of the clients of Azure, whatever `AZURE_LOG_LEVEL` says. It would contain messages. */
export async function silenceAzure(): Promise<void> {
  const { setLogLevel } = await import('@azure/logger')
  setLogLevel()
  // Clients that are CommonJS have another instance of it.
  const { setLogLevel: setTheirs }: typeof import('@azure/logger') = createRequire(import.meta.url)('@azure/logger')
  setTheirs()
}
