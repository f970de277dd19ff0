import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type Question } from 'dns-packet'

/** What a name leads to: records, an answer code, or silence. */
export type DnsAnswer = Answer[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence'

export interface DnsServer {
  /** As MORTISE_DNS_SERVERS takes it. */
  address: string
  /** Questions so far, as `A name`. */
  asked: string[]
  /** Names that have been asked for and not been answered. */
  silent: Set<string>
  stop(): Promise<void>
}

/** A real DNS server on loopback (UDP). `answer` says what a question gets; records of another type than asked for are not sent. */
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
    const code = found === 'NXDOMAIN' ? 3 : found === 'SERVFAIL' ? 2 : 0
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

export const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, data, ttl })
export const aaaa = (name: string, data: string, ttl = 60): Answer => ({ type: 'AAAA', name, data, ttl })
export const cname = (name: string, data: string, ttl = 60): Answer => ({ type: 'CNAME', name, data, ttl })
