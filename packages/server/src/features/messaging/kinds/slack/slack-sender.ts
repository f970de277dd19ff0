import { createCalls, type HttpAnswer, notDelivered } from '../http-calls.ts'
import type { Sender, SenderServices, SendResult } from '../kind.ts'
import { waitFor } from '../poll.ts'
import type { SlackSettings } from './settings.ts'
import { slackText } from './slack-text.ts'

/** Slack takes about one message a second from a webhook ("Rate limits"). */
const betweenMs = 1_000

/** Posts one message at a time, at most one a second. */
export function openSlack({ url: text }: SlackSettings, services: SenderServices): Sender {
  const url = new URL(text)
  let nextAt = 0
  return {
    async send([message], options) {
      if (!message) return []
      const call = createCalls(services, options)
      const waitMs = Math.min(nextAt - performance.now(), options.timeoutMs)
      if (waitMs > 0) await waitFor(waitMs, options.signal)
      nextAt = performance.now() + betweenMs
      const body = JSON.stringify({ text: slackText(message) })
      const answer = await call({ url, headers: { 'content-type': 'application/json' }, body })
      return [meaningOf(url, answer, options.time)]
    },
    close: async () => undefined,
  }
}

/** What an answer means: Slack says "ok", or a word for what is wrong. */
function meaningOf(url: URL, answer: HttpAnswer, time: Date): SendResult {
  const { status, body } = answer
  const said = /^[a-z_]{2,60}$/.exec(body.subarray(0, 100).toString().trim())?.[0]
  if (status === 200 && said === 'ok') return { outcome: 'delivered', status, response: body }
  if (status === 200) return notDelivered(url, answer, time, `${url.host} did not confirm the message.`)
  const result = notDelivered(
    url,
    answer,
    time,
    said === undefined ? undefined : `${url.host} answered ${status} (${said}).`,
  )
  const isGone = status === 410 || (status === 404 && said === 'no_service')
  return isGone ? { ...result, outcome: 'gone' } : result
}
