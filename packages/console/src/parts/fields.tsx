import { MortiseProblem, type ProblemIssue } from '@mortise/client'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { titleOf } from '../session/data.ts'

interface Labels {
  label: string
  help?: ReactNode
  /** What is wrong with the value. */
  error?: string | undefined
  optional?: boolean
}

function Field({
  label,
  help,
  error,
  optional,
  children,
}: Labels & { children: (ids: { id: string; describedBy: string | undefined }) => ReactNode }) {
  const id = useId()
  const parts = [error !== undefined && `${id}-error`, help !== undefined && `${id}-help`].filter(Boolean)
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {optional && <span className="muted">(optional)</span>}
      </label>
      {children({ id, describedBy: parts.length > 0 ? parts.join(' ') : undefined })}
      {error !== undefined && (
        <span id={`${id}-error`} className="field-error">
          {error}
        </span>
      )}
      {help !== undefined && (
        <span id={`${id}-help`} className="field-help">
          {help}
        </span>
      )}
    </div>
  )
}

export function TextField({ label, help, error, optional, ...rest }: Labels & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field {...{ label, help, error, optional: optional ?? false }}>
      {({ id, describedBy }) => (
        <input
          autoComplete="off"
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={error !== undefined || undefined}
        />
      )}
    </Field>
  )
}

export function TextArea({
  label,
  help,
  error,
  optional,
  ...rest
}: Labels & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field {...{ label, help, error, optional: optional ?? false }}>
      {({ id, describedBy }) => (
        <textarea {...rest} id={id} aria-describedby={describedBy} aria-invalid={error !== undefined || undefined} />
      )}
    </Field>
  )
}

export interface Choice {
  value: string
  label: string
}

export function SelectField({
  label,
  help,
  error,
  optional,
  choices,
  ...rest
}: Labels & SelectHTMLAttributes<HTMLSelectElement> & { choices: Choice[] }) {
  return (
    <Field {...{ label, help, error, optional: optional ?? false }}>
      {({ id, describedBy }) => (
        <select {...rest} id={id} aria-describedby={describedBy} aria-invalid={error !== undefined || undefined}>
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export function CheckField({
  label,
  help,
  checked,
  onChange,
  disabled,
}: {
  label: ReactNode
  help?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}) {
  const id = useId()
  return (
    <div className="check-field">
      <input
        type="checkbox"
        id={id}
        checked={checked}
        disabled={disabled}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <span id={`${id}-help`} className="field-help">
            {help}
          </span>
        )}
      </div>
    </div>
  )
}

/** What the service says of a field: the last part of the name of its issue is the field, or a part in its value. */
export function issueOf(error: unknown, name: string): string | undefined {
  const issue = findIssue(error, name)
  if (!issue) return undefined
  if (isSecretNeeded(issue)) return 'Enter it again: the stored one is not sent to another receiver.'
  return [issue.detail, issue.remedy].filter(Boolean).join(' ')
}

/** Whether a stored secret is needed again, because a change would send it to another receiver. */
export function isNeededAgain(error: unknown, name: string): boolean {
  const issue = findIssue(error, name)
  return issue !== undefined && isSecretNeeded(issue)
}

function findIssue(error: unknown, name: string): ProblemIssue | undefined {
  if (!(error instanceof MortiseProblem)) return undefined
  return error.issues.find((issue) => `.${issue.name}.`.includes(`.${name}.`))
}

const isSecretNeeded = ({ context }: ProblemIssue) => context?.['code'] === 'secret-needed'

/** The fields whose change needs secrets again. */
function changedIn(issues: readonly ProblemIssue[], labels: Record<string, string>): string {
  const paths = issues.flatMap(({ context }) => context?.['changed'] ?? []) as string[]
  const names = paths.map((path) => path.split('.').at(-1) ?? path)
  return [...new Set(names.map((name) => labels[name] ?? name))].join(', ')
}

/**
 * What a form's request failed on: all of it, above the buttons.
 *
 * @param labels of fields, by the last parts of their names
 */
export function FormProblem({ error, labels = {} }: { error: unknown; labels?: Record<string, string> }) {
  if (error == null) return null
  const all = error instanceof MortiseProblem ? error.issues : []
  const needed = all.filter(isSecretNeeded)
  const issues = all.filter((issue) => !isSecretNeeded(issue))
  if (needed.length > 0 && issues.length === 0)
    return (
      <div className="form-problem" role="alert">
        <strong>Enter the secrets again</strong>
        <p>
          You changed {changedIn(needed, labels)}, so the stored secrets would be sent to another receiver. They only go
          where they went when they were entered. Nothing is saved yet.
        </p>
      </div>
    )
  return (
    <div className="form-problem" role="alert">
      <strong>{titleOf(error)}</strong>
      {issues.length > 0 ? (
        <ul>
          {issues.map(({ name, detail, remedy }) => (
            <li key={`${name}${detail}`}>
              {name}: {[detail, remedy].filter(Boolean).join(' ')}
            </li>
          ))}
        </ul>
      ) : (
        <p className="wrap">{error instanceof Error ? error.message : String(error)}</p>
      )}
    </div>
  )
}
