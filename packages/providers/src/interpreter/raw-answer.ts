import { withoutSecrets } from '../without-secrets.ts'

const lengthMax = 8_000

/**
 * Returns the body of a response as it arrived, for finding out what a provider means: at most 8,000 characters,
 * without any spelling of the credential; undefined if there is none.
 */
export function rawAnswer(body: string, secrets: readonly string[]): string | undefined {
  if (body === '') return undefined
  // Twice as much is searched: a secret that crosses the end is not recognized, and must not be near the part that is
  // kept.
  const safe = withoutSecrets(body.slice(0, lengthMax * 2), secrets)
  const kept = body.length > lengthMax * 2 ? safe.slice(0, Math.max(0, safe.length - lengthMax)) : safe
  return kept.slice(0, lengthMax).toWellFormed()
}
