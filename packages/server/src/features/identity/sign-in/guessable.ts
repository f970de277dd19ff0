import type { ZxcvbnFactory } from '@zxcvbn-ts/core'

/** Minimum zxcvbn score. Below it, a million guesses find the secret, in spite of limits on attempts. */
const scoreMin = 2
/**
 * Number of characters that are checked: the cost grows with the square of the length. What follows a guessable
 * beginning does not count.
 */
const charactersMax = 32

/**
 * Substitutions that are undone before a second check. The library tries all combinations, which takes seconds for
 * hostile text.
 */
const substitutes: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

let estimator: Promise<ZxcvbnFactory> | undefined

/**
 * Returns whether a secret is easy to guess: a common password (of a list of 50,000 from leaks), a row of keys, a
 * repetition, a sequence, one of `personal`, or a combination of them (NIST SP 800-63B, 3.1.1.2). There are no rules
 * about kinds of characters.
 *
 * @param personal words that belong to the person or the service: email address, name
 */
export async function isGuessable(secret: string, personal: readonly string[] = []): Promise<boolean> {
  // Takes 6 MB, so it is loaded only when a password is chosen.
  estimator ??= loadEstimator()
  const known = await estimator
  const beginning = [...secret].slice(0, charactersMax).join('')
  // Digits at the end stay, because they are a sequence or a year.
  const tail = /\d*[^\p{L}\p{N}]*$/u.exec(beginning)?.[0] ?? ''
  const head = beginning.slice(0, beginning.length - tail.length)
  const plain = head.replace(/[@431!0$57]/g, (character) => substitutes[character] ?? character) + tail
  const words = personal
    .flatMap((text) => [text, text.replace(/[^\p{L}\p{N}]+/gu, ''), ...text.split(/[^\p{L}\p{N}]+/u)])
    .filter((word) => word.length >= 3)
  return [...new Set([beginning, plain])].some(
    (text) => known.check(text, ['mortise', ...words.map((word) => word.slice(0, 100))]).score < scoreMin,
  )
}

/** Returns whether the URL of a setting contains a password that is easy to guess. */
export async function hasGuessablePassword(url: string): Promise<boolean> {
  const { username, password } = new URL(url)
  return password !== '' && (await isGuessable(decodeURIComponent(password), [decodeURIComponent(username)]))
}

async function loadEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tTable: {} })
}
