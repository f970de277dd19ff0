import { createServer, type Socket } from 'node:net'
import { readable } from '../../../../testkit/smtp-server.ts'
import type { ReceivedMessage } from '../conformance.testkit.ts'
import { listenAsTarget } from '../tcp-target.testkit.ts'

/** How a server may answer a step badly: the command, and the answer. */
const refusals: Record<string, [command: string, answer: string]> = {
  'refuses the password': ['AUTH', '535 5.7.8 Authentication credentials invalid'],
  'refuses the sender': ['MAIL', '550 5.7.1 not allowed to send as this user'],
  'refuses the recipients': ['RCPT', '550 5.1.1 no such user'],
  'asks to wait': ['RCPT', '451 4.7.1 greylisted'],
  'is too busy': ['EHLO', '421 4.3.2 too many connections'],
  'takes no mail': ['.', '554 5.7.1 looks like spam'],
  'takes smaller mails': ['.', '552 5.3.4 message too big'],
  'confirms with HTML': ['.', '<html>Hello</html>'],
  'confirms with another number': ['.', '999 what'],
}
const others: Record<string, (socket: Socket) => void> = {
  'hangs up': (socket) => socket.destroy(),
  'hangs up in the middle of an answer': (socket) => socket.end('25'),
  'is another protocol': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html>'),
  'answers without end': (socket) => void socket.write('220-'.padEnd(3_000_000, 'x')),
}
export const failures: readonly string[] = [...Object.keys(refusals), ...Object.keys(others), 'hangs up after the mail']

/** Plays an SMTP server without TLS, strictly: commands in their order, and a login before a mail. */
export async function startFakeSmtp({ username, password }: { username: string; password: string }) {
  const received: ReceivedMessage[] = []
  const mails: string[] = []
  let behavior = 'accept'

  const server = createServer((socket) => {
    if (others[behavior]) {
      others[behavior]?.(socket)
      return
    }
    const write = (text: string) => {
      if (behavior !== 'hang' && socket.writable) socket.write(`${text}\r\n`)
    }
    const done = new Set<string>()
    let data: string | undefined

    const answerOf = (command: string, line: string): string => {
      const needs: Record<string, string> = { AUTH: 'EHLO', MAIL: 'AUTH', RCPT: 'MAIL', DATA: 'RCPT' }
      if (!done.has(needs[command] ?? 'GREETING')) return '503 5.5.1 bad sequence'
      if (refusals[behavior]?.[0] === command) return refusals[behavior]?.[1] ?? ''
      done.add(command)
      if (command === 'EHLO') return '250-fake\r\n250-AUTH PLAIN\r\n250 SIZE 20000000'
      if (command === 'AUTH') {
        const login = Buffer.from(line.slice('AUTH PLAIN '.length), 'base64').toString()
        if (behavior === 'echo') return `535 5.7.8 you sent ${password}`
        return login === `\0${username}\0${password}` ? '235 2.7.0 accepted' : '535 5.7.8 not accepted'
      }
      if (command === 'MAIL' || command === 'RCPT')
        return /^(?:MAIL FROM|RCPT TO):<[^<>\s]+>(?: \S+)*$/i.test(line) ? '250 2.1.0 ok' : '501 5.5.4 syntax'
      return command === 'DATA' ? '354 go ahead' : command === 'QUIT' ? '221 bye' : '500 5.5.2 unknown'
    }

    const take = (mail: string): string => {
      if (refusals[behavior]?.[0] === '.') return refusals[behavior]?.[1] ?? ''
      if (mail.includes('"bad"')) return '451 4.3.0 try again'
      const [, id = ''] = /^Message-ID: <([^@]+)@/im.exec(mail) ?? []
      mails.push(mail)
      received.push({ id, body: /^\{.*\}$/m.exec(readable(mail))?.[0] ?? '', headers: {} })
      return '250 2.0.0 queued as 4711'
    }

    done.add('GREETING')
    write('220 fake ESMTP')
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        if (data === undefined) {
          const answer = answerOf(line.slice(0, 4).toUpperCase(), line)
          if (answer.startsWith('354')) data = ''
          write(answer)
        } else if (line === '.') {
          if (behavior === 'hangs up after the mail') socket.destroy()
          else write(take(data))
          data = undefined
        } else data += `${line.startsWith('..') ? line.slice(1) : line}\r\n`
      }
    })
  })
  return {
    ...(await listenAsTarget(server)),
    received: () => received,
    mails: () => mails,
    behave: (what: string) => {
      behavior = what
    },
  }
}
