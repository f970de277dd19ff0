import { isIP } from 'node:net'
import type { KindHarness } from '../conformance.testkit.ts'
import { confirmedFailures, isBad, retried, startHttpTarget, type TargetRequest } from '../http-target.testkit.ts'

const secret = 'B024BE7LM9Xq4kT0vR2sWz81Ja'
const path = `/services/T0/${secret}`

function answer({ method, path: asked, headers, body }: TargetRequest) {
  if (asked !== path) return { status: 404, body: 'no_team' }
  const isKnown = method === 'POST' && headers['content-type'] === 'application/json'
  const { text, ...others } = JSON.parse(body.toString()) as { text: string }
  const json = /^(?:\*destination\.test\*\n)?```\n(.*)\n```$/.exec(text)?.[1]
  if (!isKnown || json === undefined || Object.keys(others).length > 0) return { status: 400, body: 'invalid_payload' }
  const message = { id: '', body: json, headers: {} }
  return isBad(message) ? { status: 500, body: 'rollup_error' } : { status: 200, body: 'ok', received: [message] }
}

const retries = {
  'may not': { status: 403, body: 'action_prohibited' },
  'has no such channel': { status: 404, body: 'channel_not_found' },
  'answers 404 with HTML': { status: 404, body: '<html>' },
  'says another word': { status: 200, body: 'okay' },
}
const ends = { 'has no such webhook': { status: 404, body: 'no_service' }, 'is gone': { status: 410, body: 'gone' } }

/** Names are Slack's: no other is accepted outside of private networks. */
const urlOf = (host: string, port: number) => `https://${isIP(host) === 0 ? 'hooks.slack.com' : host}:${port}${path}`

export const harness: KindHarness = {
  isUnsigned: true,
  hasNoIds: true,
  settingsFor: (host, port) => ({ url: urlOf(host, port) }),
  wrong: { input: { url: 'https://8.8.8.8/services/x' }, names: ['url'] },
  failures: { ...confirmedFailures, ...retried(retries), 'has no such webhook': 'gone', 'is gone': 'gone' },
  start: () =>
    startHttpTarget({
      settings: (port) => ({ url: `http://127.0.0.1:${port}${path}` }),
      secret,
      answer,
      failures: { ...retries, ...ends },
    }),
}
