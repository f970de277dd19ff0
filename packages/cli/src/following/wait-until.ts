const firstMs = 300
const mostMs = 2_000

/**
 * Asks until there is an answer that ends it: soon at first, then every two seconds.
 *
 * @throws the reason of the signal
 */
export async function waitUntil<T>(
  ask: () => Promise<T>,
  isEnd: (answer: T) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let waitMs = firstMs; ; waitMs = Math.min(waitMs * 1.5, mostMs)) {
    signal.throwIfAborted()
    const answer = await ask()
    if (isEnd(answer)) return answer
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', go)
        resolve()
      }
      const timer = setTimeout(go, waitMs)
      signal.addEventListener('abort', go, { once: true })
    })
  }
}
