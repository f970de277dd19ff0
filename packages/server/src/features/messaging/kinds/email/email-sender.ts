import { isIP, type Socket } from 'node:net'
import { OutboundError, openGuardedSocket, shownHost } from '../../../../kernel/net/index.ts'
import { startDeadline } from '../deadline.ts'
import { inParts } from '../in-parts.ts'
import type { OutgoingMessage, Sender, SenderServices, SendOptions, SendResult } from '../kind.ts'
import { openTemplate, type Template } from '../template.ts'
import { digestSubject, digestText, mailText, subjectOf } from './email-text.ts'
import { refusalOf } from './refusal.ts'
import { type EmailSettings, recipientsOf, serverOf } from './settings.ts'

/** What one mail is made of. */
interface Mail {
  messages: readonly OutgoingMessage[]
  subject: string
  text: string
}

/** Bytes of answers to one mail at most, and how often they are counted. */
const answerBytesMax = 2 ** 20
const countMs = 250

/** Hands over one mail after the other. Each has its own connection. */
export function openEmail(settings: EmailSettings, services: SenderServices): Sender {
  const template = openTemplate(settings.subjectTemplate)
  return {
    async send(batch, options) {
      const mails = mailsOf(batch, { template, isDigest: settings.digest ?? false })
      const deadline = performance.now() + options.timeoutMs
      return inParts(
        mails.map((mail) => [mail]),
        async ([mail]) => {
          if (!mail) return []
          const timeoutMs = Math.max(Math.ceil(deadline - performance.now()), 1)
          const result = await sendMail(mail, settings, services, { ...options, timeoutMs })
          return mail.messages.map(() => result)
        },
      )
    },
    close: async () => undefined,
  }
}

function mailsOf(
  batch: readonly OutgoingMessage[],
  { template, isDigest }: { template: Template | undefined; isDigest: boolean },
): Mail[] {
  if (isDigest && batch.length > 1) return [{ messages: batch, subject: digestSubject(batch), text: digestText(batch) }]
  return batch.map((message) => ({
    messages: [message],
    subject: subjectOf(template, message),
    text: mailText(message),
  }))
}

/** @throws OutboundError */
async function sendMail(
  { messages, subject, text }: Mail,
  settings: EmailSettings,
  { guard, names, project }: SenderServices,
  options: SendOptions,
): Promise<SendResult> {
  // Loaded with the first mail: most services have no destination of this kind.
  const { createTransport } = await import('nodemailer')
  const { host, port, tls, isWrapped } = serverOf(settings)
  const shown = shownHost(host, port)
  const deadline = startDeadline(shown, options)
  const { signal } = deadline
  const { timeoutMs } = options
  const { username, password, caCertificate, from } = settings
  let ofSocket: OutboundError | undefined
  let counting: NodeJS.Timeout | undefined
  let socket: Socket | undefined
  const transport = createTransport({
    ...{ host, port, secure: isWrapped, requireTLS: tls && !isWrapped, ignoreTLS: !tls },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    ...(username !== undefined && { auth: { user: username, pass: password ?? '' } }),
    tls: { ...(isIP(host) === 0 && { servername: host }), ...(caCertificate !== undefined && { ca: caCertificate }) },
    getSocket: (_, callback) => {
      const target = { host, port, guard, names, project, timeoutMs, signal, tls: tls ? ('later' as const) : false }
      openGuardedSocket(target).then(
        (connection) => {
          socket = connection
          counting = setInterval(() => {
            if (connection.bytesRead <= answerBytesMax) return
            ofSocket ??= new OutboundError('too_large', `${shown} answered with too many bytes.`)
            connection.destroy()
          }, countMs)
          callback(null, { connection })
        },
        (error) => {
          ofSocket = error
          callback(error, false)
        },
      )
    },
  })
  try {
    const { response, rejected } = await transport.sendMail({
      ...{ from, to: recipientsOf(settings), subject, text, signal },
      // The same for each attempt, so that a mail that arrives twice is shown once.
      messageId: `<${messages[0]?.id ?? ''}@${from.slice(from.lastIndexOf('@') + 1)}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    const others = rejected.length === 0 ? '' : ` (refused for ${rejected.length} of the recipients)`
    return { outcome: 'delivered', response: Buffer.from(`${response}${others}`) }
  } catch (error) {
    const reason = deadline.passed() ?? ofSocket
    if (reason) throw reason
    return refusalOf(error, shown)
  } finally {
    deadline.clear()
    clearInterval(counting)
    transport.close()
    socket?.destroy()
  }
}
