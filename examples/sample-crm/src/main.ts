import { readConfig } from './config.ts'
import { startSampleCrm } from './start-sample-crm.ts'

try {
  const crm = await startSampleCrm(readConfig())
  process.stdout.write(`sample CRM on ${crm.url}, send X-Api-Key: ${crm.apiKey}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void crm.close())
} catch (error) {
  process.stderr.write(`sample CRM: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
