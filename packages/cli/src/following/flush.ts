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
  let flushed = 0
  let total: number | undefined
  const exitWhenFlushed = () => {
    if (total !== undefined && flushed >= total) all.abort()
  }
  // Its failure ends the stream and is thrown below: nobody may wait for the end of what cannot be looked up any more.
  const ending = totalAtEnd(either).then(
    (answer) => {
      total = answer
      exitWhenFlushed()
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
      flushed++
      exitWhenFlushed()
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
