/**
 * Yields the items of a stream until it has yielded as many as there are after the source has ended.
 *
 * @param totalAtEnd returns the total number, once nothing is added any more
 * @param open opens the stream, which ends with the signal
 */
export async function* flush<T>(
  open: (signal: AbortSignal) => AsyncIterable<T>,
  totalAtEnd: (signal: AbortSignal) => Promise<number>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const all = new AbortController()
  const either = AbortSignal.any([signal, all.signal])
  let told = 0
  let total: number | undefined
  const endWhenTold = () => {
    if (total !== undefined && told >= total) all.abort()
  }
  // Its failure ends the stream and is thrown below: nobody may wait for the end of what cannot be looked up any more.
  const ending = totalAtEnd(either).then(
    (answer) => {
      total = answer
      endWhenTold()
    },
    (error: unknown) => {
      all.abort()
      throw error
    },
  )
  ending.catch(() => undefined)
  try {
    for await (const item of open(either)) {
      yield item
      told++
      endWhenTold()
      if (all.signal.aborted) break
    }
  } catch (error) {
    if (signal.aborted || !all.signal.aborted) throw error
  } finally {
    all.abort()
  }
  signal.throwIfAborted()
  await ending
}
