import type { Config } from '../../../config.ts'
import { Permanent, Transient } from '../../../kernel/jobs/index.ts'
import { type NameResolver, openSocket } from '../../../kernel/net/index.ts'

/** A mail in plain text. */
export interface Mail {
  from: string
  to: string
  subject: string
  text: string
  /** Before the @ of its Message-ID: a mail that was sent twice is shown once. */
  id: string
}

/** Returns the sender of mails: the one of the settings, else one at the public host. */
export function mailFrom({ config, publicUrl }: { config: Config; publicUrl: string }): string {
  return config.mailFrom ?? `Mortise <mortise@${new URL(publicUrl).hostname}>`
}

/** How long a mail server may take at each step, and for a whole mail. */
const connectMs = 10_000
const silenceMs = 20_000
const mailMs = 60_000

/** The operator's mail server, and how its name is resolved. */
export interface MailServer {
  names: NameResolver
  /** As `MORTISE_SMTP_URL` has it. */
  smtpUrl: string
}

/**
 * Hands a mail to the operator's server. Sends a password over TLS only, unless the URL says `requireTLS=false`. The
 * operator names the server, so it may be in a private network; a link-local or metadata address is refused.
 *
 * @throws Permanent when the server will never take this mail, Transient when it may take it later
 */
export async function sendMail({ smtpUrl, names }: MailServer, mail: Mail, stop: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(mailMs)])
  // Loaded with the first mail: most services send none.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    requireTLS: new URL(smtpUrl).username !== '',
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    url: smtpUrl,
    getSocket: ({ host = 'localhost', port, secure }, callback) => {
      const target = { host, port: Number(port) || (secure ? 465 : 587), names, timeoutMs: connectMs, signal }
      openSocket(target).then(
        (connection) => callback(null, { connection }),
        (error) => callback(error, false),
      )
    },
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
