import { createTransport } from 'nodemailer'
import { Permanent, Transient } from '../../kernel/jobs/index.ts'

/** A mail in plain text. */
export interface Mail {
  from: string
  to: string
  subject: string
  text: string
  /** Before the @ of its Message-ID: a mail that was sent twice is shown once. */
  id: string
}

/** How long a mail server may take at each step. */
const connectMs = 10_000
const silenceMs = 20_000

/**
 * Hands a mail to the operator's server. A password is sent over TLS alone, unless the URL says `requireTLS=false`. Not through the
 * address guard: the operator named the server, and it is often a private one.
 *
 * @throws Permanent when the server will never take this mail, Transient when it may take it later
 */
export async function sendMail(smtpUrl: string, mail: Mail, signal: AbortSignal): Promise<void> {
  const transport = createTransport({
    requireTLS: new URL(smtpUrl).username !== '',
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    url: smtpUrl,
  })
  const { id, ...message } = mail
  const host = mail.from.slice(mail.from.lastIndexOf('@') + 1).replace(/>\s*$/, '')
  try {
    await transport.sendMail({
      ...message,
      messageId: `<${id}@${host}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
      signal,
    })
  } catch (error) {
    const { code, responseCode } = error as { code?: string; responseCode?: number }
    const refused = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode !== undefined && responseCode >= 500
    // A refused password is the operator's to put right: worth another try.
    if (refused) throw new Permanent('the mail server refuses this mail', { cause: error })
    throw new Transient('the mail could not be handed over', { cause: error })
  } finally {
    transport.close()
  }
}
