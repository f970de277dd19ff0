import { readConfig } from './config.ts'
import { readMessage } from './message.ts'
import { startWebhookReceiver } from './start-webhook-receiver.ts'

try {
  const { secret, ...address } = readConfig()
  const receiver = await startWebhookReceiver({
    ...address,
    ...(secret !== undefined && { secret }),
    respond({ id, message }) {
      const { objectName, recordIds } = readMessage(message)
      process.stdout.write(`${JSON.stringify({ id, objectName, records: recordIds.length })}\n`)
      return { status: 204 }
    },
  })
  const checks = secret === undefined ? 'unverified: no --secret' : 'verifying every signature'
  process.stdout.write(`webhook receiver on ${receiver.url}, ${checks}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void receiver.close())
} catch (error) {
  process.stderr.write(`webhook receiver: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
