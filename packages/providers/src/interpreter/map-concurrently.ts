/** Requests side by side that one read makes of a provider: quick, and few enough for its limits. */
const most = 4

/** What the work makes of each item, in their order; a few at a time. The first failure ends it. */
export async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let at = 0; at < items.length; at += most) {
    done.push(...(await Promise.all(items.slice(at, at + most).map(work))))
  }
  return done
}
