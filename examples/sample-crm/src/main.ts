import { readConfig } from './config.ts'
import { startSampleCrm } from './start-sample-crm.ts'

try {
  const { oauth, ...options } = readConfig()
  // Loaded only if it is used: it takes longer to load than the rest of the CRM.
  const { createAuthorizationServer } = oauth
    ? await import('./sign-in/authorization-server.ts')
    : { createAuthorizationServer: undefined }
  const crm = await startSampleCrm({
    ...options,
    ...(oauth && createAuthorizationServer && { authorization: createAuthorizationServer({ applications: [oauth] }) }),
  })
  process.stdout.write(`sample CRM on ${crm.url}, send X-Api-Key: ${crm.apiKey}; settings on ${crm.url}/admin\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void crm.close())
} catch (error) {
  process.stderr.write(`sample CRM: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
