import { createServer, type Socket } from 'node:net'
import type { ReceivedMessage } from '../conformance.testkit.ts'
import { listenAsTarget } from '../tcp-target.testkit.ts'

interface Published extends ReceivedMessage {
  subject: string
  inbox: string
}

interface Answering {
  socket: Socket
  write(text: string): void
}

/** The reply of JetStream, as a message to the inbox. */
const replyTo = ({ inbox }: Published, json: string) => `MSG ${inbox} 1 ${Buffer.byteLength(json)}\r\n${json}\r\n`

/** How a server may answer a publication badly. */
export const badAnswers: Record<string, (answering: Answering, message: Published) => void> = {
  hang: () => undefined,
  'has no stream': ({ write }, { inbox }) => write(`HMSG ${inbox} 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n`),
  'has a full stream': ({ write }, message) =>
    write(
      replyTo(
        message,
        '{"error":{"code":503,"err_code":10077,"description":"maximum messages exceeded"},"stream":"S","seq":0}',
      ),
    ),
  'has a stream of smaller messages': ({ write }, message) =>
    write(
      replyTo(message, '{"error":{"code":400,"err_code":10054,"description":"message size exceeds maximum allowed"}}'),
    ),
  'permits no publication': ({ write }, { subject }) =>
    write(`-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`),
  'finds the connection stale': ({ socket }) => socket.end("-ERR 'Stale Connection'\r\n"),
  'confirms with nothing': ({ write }, message) => write(replyTo(message, '')),
  'confirms with a text': ({ write }, message) => write(replyTo(message, '+ACK')),
  'confirms without a number': ({ write }, message) => write(replyTo(message, '{"stream":"S"}')),
  'confirms the number 0': ({ write }, message) => write(replyTo(message, '{"stream":"S","seq":0}')),
  'confirms with a list': ({ write }, message) => write(replyTo(message, '[1]')),
  'confirms to another inbox': ({ socket }, message) =>
    socket.end(replyTo({ ...message, inbox: '_INBOX.x.1' }, '{"stream":"S","seq":1}')),
  'hangs up': ({ socket }) => socket.destroy(),
  'hangs up in the middle of an answer': ({ socket }, message) => socket.end(`MSG ${message.inbox} 1 20\r\n{"stre`),
  'answers with HTML': ({ socket }) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html>'),
  'answers with a wrong size': ({ write }, { inbox }) => write(`MSG ${inbox} 1 x\r\n`),
  'answers without end': ({ write }) => {
    for (let count = 0; count < 30; count++) write(`-ERR '${'x'.repeat(100_000)}'\r\n`)
  },
}

/** What is said instead of the greeting. */
const badGreetings: Record<string, (socket: Socket) => void> = {
  'hangs up before the greeting': (socket) => socket.destroy(),
  'is another protocol': (socket) => socket.end('+PONG\r\n'),
  'greets with HTML': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'greets without JSON': (socket) => socket.write('INFO hello\r\n'),
  'greets without end': (socket) => socket.write(`INFO {"a":"${'x'.repeat(100_000)}`),
  'says more than a greeting': (socket) => socket.write("INFO {}\r\n-ERR 'x'\r\n"),
  'requires TLS': (socket) => socket.write('INFO {"tls_required":true,"headers":true}\r\n'),
}
export const greetings: readonly string[] = Object.keys(badGreetings)

const info = JSON.stringify({
  server_id: 'fake',
  version: '2.12.0',
  headers: true,
  jetstream: true,
  max_payload: 1_048_576,
  nonce: 'nonce-of-the-fake',
})

/** What it accepts: a user, a token, or the JWT of a user. It does not verify the signature that comes with a JWT. */
interface Login {
  username?: string
  password?: string
  token?: string
  jwt?: string
}

/** Plays a server with a stream for every subject, strictly: what is not documented ends the connection. */
export async function startFakeNats({ prefix, ...login }: Login & { prefix: string }) {
  const { username, password, token, jwt } = login
  const expected = Object.entries({ user: username, pass: password, auth_token: token, jwt })
  const received: ReceivedMessage[] = []
  const subjects: string[] = []
  let behavior = 'accept'

  function take(answering: Answering, message: Published): void {
    if (!message.subject.startsWith(`${prefix}.`)) answering.socket.destroy()
    else if (behavior === 'echo')
      answering.write(replyTo(message, `{"error":{"code":500,"description":"you sent ${Object.values(login)}"}}`))
    else if (badAnswers[behavior]) badAnswers[behavior]?.(answering, message)
    else if (message.body.includes('"bad"')) badAnswers['has a full stream']?.(answering, message)
    else {
      const { subject, inbox: _inbox, ...rest } = message
      received.push(rest)
      subjects.push(subject)
      answering.write(replyTo(message, `{"stream":"MORTISE", "seq":${received.length}}`))
    }
  }

  const server = createServer((socket) => {
    if (badGreetings[behavior]) {
      badGreetings[behavior]?.(socket)
      return
    }
    const write = (text: string) => {
      if (socket.writable) socket.write(text)
    }
    write(`INFO ${info}\r\n`)
    let isLoggedIn = false
    let buffered: Buffer = Buffer.alloc(0)
    const line = (text: string): void => {
      const connect = /^CONNECT (.*)$/.exec(text)?.[1]
      if (connect !== undefined) {
        const { headers, verbose, ...sent } = JSON.parse(connect) as Record<string, unknown>
        if (behavior === 'refuses the password' || expected.some(([name, value]) => sent[name] !== value))
          socket.end("-ERR 'Authorization Violation'\r\n")
        isLoggedIn = headers === true && verbose === false
      } else if (!isLoggedIn) socket.destroy()
      else if (text === 'PING') write('PONG\r\n')
      else if (text.startsWith('SUB ')) {
        if (!/^SUB _INBOX\.[0-9a-f]{32}\.\* 1$/.test(text)) socket.destroy()
        if (behavior === 'permits no subscription')
          write('-ERR \'Permissions Violation for Subscription to "_INBOX.x.*"\'\r\n')
      } else if (text !== 'PONG') socket.destroy()
    }
    socket.on('data', (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      for (let taken = takeCommand(buffered); taken; taken = takeCommand(buffered)) {
        buffered = taken.rest
        if (taken.message) take({ socket, write }, taken.message)
        else line(taken.line)
      }
    })
  })
  return {
    ...(await listenAsTarget(server)),
    received: () => received,
    subjects: () => subjects,
    behave: (what: string) => {
      behavior = what
    },
  }
}

/** Takes a whole command from what has arrived: a line, or a message with headers. */
function takeCommand(bytes: Buffer): { line: string; message?: Published; rest: Buffer } | undefined {
  const end = bytes.indexOf('\r\n')
  if (end < 0) return undefined
  const line = bytes.toString('utf8', 0, end)
  const [, subject = '', inbox = '', headerSize, size] = /^HPUB (\S+) (\S+) (\d+) (\d+)$/.exec(line) ?? []
  const rest = bytes.subarray(end + 2)
  if (size === undefined) return { line, rest }
  const [before, whole] = [Number(headerSize), Number(size)]
  if (rest.length < whole + 2) return undefined
  const [first, ...lines] = rest.toString('utf8', 0, before).split('\r\n')
  if (first !== 'NATS/1.0' || rest.toString('utf8', whole, whole + 2) !== '\r\n') return { line: 'malformed', rest }
  const pairs = lines
    .filter((one) => one !== '')
    .map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 2)])
  const headers = Object.fromEntries(pairs) as Record<string, string>
  const body = rest.toString('utf8', before, whole)
  return {
    line,
    message: { id: headers['Nats-Msg-Id'] ?? '', body, headers, subject, inbox },
    rest: rest.subarray(whole + 2),
  }
}
