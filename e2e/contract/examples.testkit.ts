import { writeFile } from 'node:fs/promises'
import { publicUrl, type World } from '../../packages/server/src/testkit/world.ts'
import type { ReceivedAnswer, SentRequest } from './checker.testkit.ts'

interface Example {
  body?: unknown
  status: number
  answer?: unknown
}

const kept: Record<string, Example> = {}

/** Remembers an exchange as the example of its endpoint. */
export function keepExample(id: string, { body }: SentRequest, { status, headers, text }: ReceivedAnswer): void {
  const isJson = headers.get('content-type')?.startsWith('application/json')
  if (body === undefined && !isJson) return
  kept[id] = { ...(body !== undefined && { body }), status, ...(isJson && { answer: JSON.parse(text) }) }
}

/** Writes what was kept, with all that differs from run to run in one form; only when asked to. */
export async function writeExamples(world: World): Promise<void> {
  if (!process.env['MORTISE_WRITE_EXAMPLES']) return
  const ids = new Map<string, string>()
  const number = (id: string) => {
    if (!ids.has(id)) ids.set(id, `019a8f00-0000-7000-8000-${(ids.size + 1).toString(16).padStart(12, '0')}`)
    return ids.get(id)!
  }
  const text =
    `${JSON.stringify(Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => (a < b ? -1 : 1))), short, 1)}\n`
      .replaceAll(world.app.url, publicUrl)
      .replaceAll(world.crm.url, 'https://crm.example.com')
      .replaceAll(new URL(world.receiver.url).origin, 'https://hooks.example.com')
      .replaceAll(world.identities.issuer, 'https://login.example.com')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'crm.example.com')
      .replaceAll(world.crm.apiKey, 'a-key-of-the-account')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, number)
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-03-01T09:30:00.000Z')
      .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'HEADER.CLAIMS.SIGNATURE')
      .replaceAll(/mortise_live_\w{34}/g, 'mortise_live_YOUR_KEY')
      .replaceAll(/mortise_live_…\w{4}/g, 'mortise_live_…a1b2')
      .replaceAll(/whsec_[\w+/=]+/g, 'whsec_THE_SIGNING_SECRET')
      .replaceAll(/(signature|claims|token|state|domain-verification)=[\w-]{20,}/g, '$1=…')
      .replaceAll(/\/connect\/[\w-]{40,}/g, '/connect/…')
      .replaceAll(/connect_[\w-]{40,}/g, 'connect_…')
      .replaceAll(/"(key|hint)": "[\w+/]{4}"/g, '"$1": "a1B2"')
      .replaceAll(/"durationMs": \d+/g, '"durationMs": 12')
      .replaceAll(/expires=\d+/g, 'expires=1772357400')
      .replaceAll(/(-----BEGIN PUBLIC KEY-----\\n).*?(\\n-----END PUBLIC KEY-----)/g, '$1…$2')
      .replaceAll(/"(refreshToken|sessionId|code|n|kid|x|y)": "[\w.-]{40,}"/g, '"$1": "…"')
  await writeFile(
    new URL('../../packages/server/src/features/platform/api-docs/examples.generated.json', import.meta.url),
    text,
  )
}

/** Long lists and maps are cut: an example shows what one is like. */
function short(_key: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 2)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  // A map from name to thing, not a thing: all of its values are objects.
  const isMap =
    _key !== '' && entries.length > 6 && entries.every(([, part]) => typeof part === 'object' && part !== null)
  return isMap ? Object.fromEntries(entries.slice(0, 2)) : value
}
