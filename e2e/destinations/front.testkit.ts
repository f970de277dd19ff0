import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A network between senders and a server, which loses connections and keeps answers back. */
export interface Front {
  port: number
  /** Says where the server is. Before, connections end. */
  leadTo(port: number): void
  /** Ends all connections, and refuses new ones until `up`. */
  down(): Promise<void>
  up(): Promise<void>
  /**
   * Keeps the answers of the server back, from the first one after it has accepted something.
   *
   * @returns when an answer is kept back
   */
  hold(hasAccepted: () => Promise<boolean>): Promise<void>
  /** Passes on what is kept back. */
  release(): void
  /** Answers in place of the server, once what was sent on a connection is enough. Undefined: the server answers. */
  answerWith(answer: Answer | undefined): void
  /** What senders sent since the start. */
  sent(): Buffer
  stop(): Promise<void>
}

/** Returns undefined to wait for more. */
type Answer = (sent: Buffer) => Buffer | undefined

interface Hold {
  hasAccepted(): Promise<boolean>
  isHolding: boolean
  began: PromiseWithResolvers<void>
  ended: PromiseWithResolvers<void>
}

/** Listens below the ports that systems give to connections, so that nobody takes the port while nobody listens. */
async function listenBelow(server: Server): Promise<number> {
  for (;;) {
    server.listen(20_000 + Math.floor(Math.random() * 10_000), '127.0.0.1')
    try {
      await once(server, 'listening')
      return (server.address() as AddressInfo).port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

export async function startFront(): Promise<Front> {
  const sockets = new Set<Socket>()
  const chunks: Buffer[] = []
  let target: number | undefined
  let hold: Hold | undefined
  let answer: Answer | undefined

  /** Waits while this answer is kept back. */
  async function pass(): Promise<void> {
    if (!hold) return
    const { began, ended } = hold
    hold.isHolding ||= await hold.hasAccepted()
    if (!hold.isHolding) return
    began.resolve()
    await ended.promise
  }

  function accept(socket: Socket): void {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => undefined))
    if (target === undefined) {
      socket.destroy()
      return
    }
    const back = connect(target, '127.0.0.1').on('error', () => undefined)
    let passing: Promise<void> = Promise.resolve()
    const then = (step: () => void) => {
      passing = passing.then(pass).then(step)
    }
    let asked: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if (!answer) {
        back.write(chunk)
        return
      }
      asked = Buffer.concat([asked, chunk])
      const answered = answer(asked)
      if (answered) socket.end(answered)
    })
    back.on('data', (chunk) => then(() => answer ?? socket.write(chunk)))
    back.on('close', () => then(() => answer ?? socket.destroy()))
    socket.on('close', () => back.destroy())
  }

  const server = createServer(accept)
  const port = await listenBelow(server)
  const down = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    port,
    leadTo: (to) => {
      target = to
    },
    down,
    async up() {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    async hold(hasAccepted) {
      hold = { hasAccepted, isHolding: false, began: Promise.withResolvers(), ended: Promise.withResolvers() }
      await hold.began.promise
    },
    release() {
      hold?.ended.resolve()
      hold = undefined
    },
    answerWith: (planned) => {
      answer = planned
    },
    sent: () => Buffer.concat(chunks),
    stop: async () => {
      hold?.ended.resolve()
      await down()
    },
  }
}

/** An answer over HTTP with the whole request, also as text where it was in base64. */
export function echoOf(sent: Buffer, status: string): Buffer | undefined {
  const length = Number(/^content-length: (\d+)/im.exec(sent.toString('latin1'))?.[1] ?? 0)
  const end = sent.indexOf('\r\n\r\n')
  if (end < 0 || sent.length < end + 4 + length) return undefined
  const basic = /^authorization: basic (\S+)/im.exec(sent.toString('latin1'))?.[1] ?? ''
  const body = Buffer.concat([Buffer.from(`You sent ${Buffer.from(basic, 'base64')} `), sent])
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}
