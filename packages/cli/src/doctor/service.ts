import { type Check, failed, ok } from './check.ts'
import { request } from './request.ts'

export const service: Check = {
  name: 'service',
  async run(patient) {
    const { url } = patient.settings
    let answer: Response
    try {
      answer = await request(patient, '/healthz')
    } catch (error) {
      patient.terminal.signal.throwIfAborted()
      const { cause } = error as { cause?: { code?: string } }
      return [
        failed(
          `Nothing answers at ${url}${cause?.code ? ` (${cause.code})` : ''}.`,
          'Start the service (npm start), or set its address with --url or MORTISE_URL.',
        ),
      ]
    }
    const body = (await answer.json().catch(() => undefined)) as { status?: unknown } | undefined
    return body?.status === 'alive'
      ? [ok(`Mortise answers at ${url}.`)]
      : [
          failed(
            `Another program answers at ${url} (HTTP ${answer.status}).`,
            'Another program or a proxy uses this port. Start the service with another PORT, or correct --url.',
          ),
        ]
  },
}
