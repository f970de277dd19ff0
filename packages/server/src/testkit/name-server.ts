import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type Question } from 'dns-packet'

/** Answer codes (RFC 1035, 4.1.1). */
const codes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 }
/** What a name leads to: records, an answer code, or silence. */
export type DnsAnswer = Answer[] | keyof typeof codes | 'silence'

export interface DnsServer {
  /** As MORTISE_DNS_SERVERS takes it. */
  address: string
  /** Questions so far, as `A name`. */
  asked: string[]
  /** Names that have been asked for and not been answered. */
  silent: Set<string>
  stop(): Promise<void>
}

/**
 * A real DNS server on loopback (UDP). `answer` says what a question gets; records of another type than asked for are
 * not sent.
 */
export async function startDnsServer(answer: (name: string, type: string) => DnsAnswer): Promise<DnsServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  const silent = new Set<string>()
  socket.on('message', (message, { port, address }: RemoteInfo) => {
    const { id, questions = [] } = decode(message)
    const [question] = questions as [Question]
    asked.push(`${question.type} ${question.name}`)
    const found = answer(question.name.toLowerCase(), question.type)
    if (found === 'silence') return silent.add(question.name.toLowerCase())
    const code = typeof found === 'string' ? codes[found] : 0
    const answers = Array.isArray(found)
      ? found.filter(({ type }) => type === question.type || type === 'CNAME').map((each) => ({ ...each }))
      : []
    socket.send(encode({ type: 'response', id: id ?? 0, flags: 0x0180 | code, questions, answers }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    silent,
    async stop() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

export interface NameServer extends DnsServer {
  answers: Map<string, DnsAnswer>
}

/** A server whose answers a test changes as it goes, by name in lower case. Other names do not exist. */
export async function startNameServer(): Promise<NameServer> {
  const answers = new Map<string, DnsAnswer>()
  return { ...(await startDnsServer((name) => answers.get(name) ?? 'NXDOMAIN')), answers }
}

export const txt = (name: string, ...data: string[]): Answer => ({ type: 'TXT', name, ttl: 0, data })
export const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, data, ttl })
export const aaaa = (name: string, data: string, ttl = 60): Answer => ({ type: 'AAAA', name, data, ttl })
export const cname = (name: string, data: string, ttl = 60): Answer => ({ type: 'CNAME', name, data, ttl })
