/** The result, or undefined when it took longer. Leaves no timer behind. */
export async function within<T>(limitMs: number, result: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, limitMs, undefined)
  })
  try {
    return await Promise.race([result, limit])
  } finally {
    clearTimeout(timer)
  }
}
