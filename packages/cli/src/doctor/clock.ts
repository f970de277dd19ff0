import { type Check, ok, warning } from './check.ts'
import { request } from './request.ts'

/** Tokens and signatures of messages tolerate minutes; half of the least of them. */
const skewMostMs = 30_000

export const clock: Check = {
  name: 'clock',
  needs: 'service',
  async run(patient) {
    const asked = Date.now()
    const date = Date.parse((await request(patient, '/healthz')).headers.get('date') ?? '')
    if (Number.isNaN(date)) return []
    // The header has whole seconds, and was written somewhere between the question and the answer.
    const skewMs = date + 500 - (asked + Date.now()) / 2
    const seconds = Math.round(Math.abs(skewMs) / 1_000)
    return Math.abs(skewMs) < skewMostMs
      ? [ok('The clocks of this computer and of the service agree.')]
      : [
          warning(
            `The clock of the service is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} this computer's.`,
            'Synchronize both with a time server: signatures and tokens are valid for minutes only.',
          ),
        ]
  },
}
