export interface ReadEvent<T = Record<string, unknown>> {
  id: string
  event: string
  data: T
}

/** A stream of events as a client reads it. */
export interface EventReader<T> {
  status: number
  /** What came so far. */
  events: ReadEvent<T>[]
  /** Answers when enough has come; throws with what came instead. */
  until(enough: (events: ReadEvent<T>[]) => boolean): Promise<ReadEvent<T>[]>
  /** Answers when the server has ended the stream. */
  ended: Promise<void>
  close(): Promise<void>
}

/** Opens a stream of events, and reads it until it is closed. */
export async function readEvents<T = Record<string, unknown>>(
  url: string,
  headers: Record<string, string>,
): Promise<EventReader<T>> {
  const controller = new AbortController()
  const answer = await fetch(url, { headers, signal: controller.signal })
  const events: ReadEvent<T>[] = []
  let came = () => {}
  const ended = (async () => {
    let text = ''
    try {
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += chunk
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]))
          const data = fields.get('data')
          if (data !== undefined)
            events.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? 'message', data: JSON.parse(data) })
        }
        came()
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error
    }
  })()
  ended.catch(() => {})
  return {
    status: answer.status,
    events,
    ended,
    async until(enough) {
      const late = AbortSignal.timeout(30_000)
      while (!enough(events)) {
        await new Promise<void>((resolve) => {
          came = resolve
          late.addEventListener('abort', () => resolve(), { once: true })
        })
        if (late.aborted && !enough(events)) throw new Error(`not enough came: ${JSON.stringify(events)}`)
      }
      return events
    },
    async close() {
      controller.abort()
      await ended
    },
  }
}
