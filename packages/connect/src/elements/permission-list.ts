import { html, type TemplateResult } from 'lit'
import { usesOf } from '../headless/permissions.ts'
import type { MissingPermission } from '../headless/wire.ts'
import type { ViewContext } from './parts.ts'

/** Permissions that an account did not grant, each with what needs it. */
export function permissionList({ t }: ViewContext, missing: readonly MissingPermission[]): TemplateResult {
  return html`<ul class="bullets">
    ${missing.map(
      (permission) => html`<li>
        <bdi>${permission.description ?? html`<code>${permission.scope}</code>`}</bdi>
        ${usesOf(permission).map(
          ({ action, names }) =>
            html`<div class="quiet small">${t.text(`permissions.${action}`, { objects: t.list(names) })}</div>`,
        )}
      </li>`,
    )}
  </ul>`
}
