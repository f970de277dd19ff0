import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { Empty, endpoint, isSameOrigin, Path, Ref, readForm, reply } from '../../../../../kernel/http/index.ts'
import type { Logger } from '../../../../../kernel/telemetry/index.ts'
import { browserFor } from '../../browser-cookie.ts'
import { type ConnectServices, connectAccount } from '../connect-account.ts'
import { connectFormPath, connectSessionMinutes } from '../connect-session.ts'
import { settleConnectSession } from '../connect-session-store.ts'
import { readValues } from '../form.ts'
import { formPage } from '../form-page.ts'
import { formTokenOf, isFormToken } from '../form-token.ts'
import { onwardPage, type Page, pageHeaders, staleFormPage } from '../page.ts'
import { openPage, type PageContextServices } from '../page-context.ts'

export const submitConnectForm = endpoint({
  id: 'submitConnectForm',
  method: 'POST',
  path: '//connect/{token}/form',
  access: 'public',
  summary: 'Connect an account with the form of the page without scripts.',
  tag: 'Connections',
  extension: true,
  audit: { verb: 'connect', resource: 'connection' },
  params: Path({ token: Ref }),
  accepts: 'binary',
  // Keys of several lines come percent-encoded.
  bodyBytesMax: 256 * 1_024,
  produces: 'text/html; charset=utf-8',
  reply: { 200: Type.String(), 303: Empty, 400: Type.String(), 403: Type.String(), 404: Type.String() },
  run: async (
    { params: { token }, headers, body, signal, note },
    services: ConnectServices & PageContextServices & { log: Logger },
  ) => {
    note({ outcome: 'none' })
    const form = await readForm(headers, body as unknown as Readable)
    const browser = browserFor(services, headers, connectSessionMinutes)
    const show = ({ status, text, headers: shown }: Page) =>
      reply(status, text, { ...shown, 'set-cookie': browser.setCookie })
    const path = connectFormPath(token)
    const seen = await openPage(services, token, {
      method: form.get('with') ?? undefined,
      provider: form.get('provider') ?? undefined,
    })
    if ('page' in seen) return show(seen.page)
    if (!isSameOrigin(services, headers) || !isFormToken(form.get('form'), token, browser.secret))
      return show(staleFormPage(path, seen.form.appName))
    const { db, session, purpose, options, method } = seen
    const { fields, displayName, appName } = seen.form
    const values = readValues(fields, form)
    const page = { sessionId: session.id, token }
    const back = { page, browserSecret: browser.secret }
    const sent = { purpose, back, options, method, fields, values, signal }
    const outcome = await connectAccount(db, services, sent)
    if ('leadsTo' in outcome) {
      const onward = { url: outcome.leadsTo, button: `Continue to ${displayName}`, appName }
      return show(onwardPage('One moment…', `Taking you to ${displayName}.`, onward))
    }
    if ('faults' in outcome || 'fault' in outcome) {
      const formToken = formTokenOf(token, browser.secret)
      const faults = 'faults' in outcome ? outcome.faults : new Map([['', outcome.fault.text]])
      return show(formPage({ ...seen.form, formToken, values, faults, status: 400 }))
    }
    const { connectionId } = outcome
    await settleConnectSession(db, session.id, { connectionId })
    const { provider, askedBy } = purpose
    note({
      outcome: 'success',
      log: session.projectId,
      resourceId: connectionId,
      actor: { kind: 'connectSession', id: session.id },
    })
    services.log.info(
      { projectId: session.projectId, provider, connectionId, askedBy },
      'connected an account on a page',
    )
    return reply(303, null, { ...pageHeaders, location: path })
  },
})
