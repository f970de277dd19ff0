import { createClient } from '@mortise/client'
import { startSaasApp } from './start-saas-app.ts'

/** Runs Harbor against a Mortise that runs already. `examples/saas-app/README.md` says which settings it reads. */

const {
  PORT = '4400',
  MORTISE_URL = 'http://localhost:4100',
  MORTISE_API_KEY = '',
  DESTINATION = 'demoWebhook',
} = process.env
const project = process.env['MORTISE_PROJECT'] ?? 'default'

try {
  const mortise = createClient({ baseUrl: MORTISE_URL, apiKey: MORTISE_API_KEY, project })
  const { secrets } = await mortise.getDestination({ destination: DESTINATION, query: { includeSecrets: true } })
  const app = await startSaasApp({
    port: Number(PORT),
    mortiseUrl: MORTISE_URL,
    apiKey: MORTISE_API_KEY,
    project,
    webhookSecret: secrets?.webhookSigningKey ?? '',
  })
  process.stdout.write(`Harbor on ${app.url}, webhooks on ${app.webhookUrl}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())
} catch (error) {
  process.stderr.write(`saas-app: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
