import { html } from '../../../../kernel/http/index.ts'
import type { MissingPermission } from '../connect-info/model.ts'
import { permissionText } from '../permission-text.ts'
import type { FormPage } from './form-page.ts'
import { connectPage, type Page } from './page.ts'

/**
 * Renders what an account did not grant, with a form that asks again. It offers to continue without it, unless every
 * installation needs it.
 */
export function permissionsPage({
  displayName,
  appName,
  path,
  formToken,
  method,
  missing,
  failure,
}: Pick<FormPage, 'displayName' | 'appName' | 'path' | 'formToken' | 'method'> & {
  missing: readonly MissingPermission[]
  /** Why asking again failed. */
  failure: string | undefined
}): Page {
  const isRequired = missing.some(({ neededFor }) => neededFor.some((use) => use.isRequired))
  const who = appName ?? 'The application'
  return connectPage(
    `${displayName} did not grant all permissions`,
    html`${failure !== undefined && html`<p class="alert" role="alert">${failure}</p>`}
<p>Your account is connected. These permissions are missing:</p>
<ul>${missing.map((one) => html`<li>${permissionText(one)}</li>`)}</ul>
${isRequired && html`<p>${who} does not work without them.</p>`}
<form method="post" action="${path}">
<input type="hidden" name="form" value="${formToken}"><input type="hidden" name="with" value="${method.scheme}">
<button type="submit">Grant permissions</button>
</form>
${!isRequired && html`<a class="button second" href="${path}?without=1">Continue without them</a>`}`,
    { appName },
  )
}
