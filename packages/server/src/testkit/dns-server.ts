import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Packet, RECURSION_AVAILABLE } from 'dns-packet'

/** What the server says about a name: TXT records, each a list of strings; an error code; or nothing at all. */
export type DnsAnswer = { txt: string[][] } | { rcode: number } | 'silence'

/** A name server on loopback. Names without an answer do not exist. */
export interface TestDns {
  /** As resolvers take it: address and port. */
  address: string
  /** By name in lower case. */
  answers: Map<string, DnsAnswer>
  /** Names as they arrived, in order. */
  asked: string[]
  close(): Promise<void>
}

export const servfail = { rcode: 2 }
const nxdomain = { rcode: 3 }

export async function startTestDns(): Promise<TestDns> {
  const socket = createSocket('udp4')
  const answers: TestDns['answers'] = new Map()
  const asked: string[] = []
  socket.on('message', (message, { address, port }) => {
    const { id = 0, questions = [] } = decode(message)
    const name = questions[0]?.name ?? ''
    asked.push(name)
    const answer = answers.get(name.toLowerCase()) ?? nxdomain
    if (answer === 'silence') return
    const rcode = 'rcode' in answer ? answer.rcode : 0
    const packet: Packet = {
      type: 'response',
      id,
      // The library takes the code as a part of the flags.
      flags: RECURSION_AVAILABLE | rcode,
      questions,
      answers: 'txt' in answer ? answer.txt.map((data) => ({ type: 'TXT', name, ttl: 0, data })) : [],
    }
    socket.send(encode(packet), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answers,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}
