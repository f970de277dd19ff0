import { MortiseProblem } from '@mortise/client'
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

/** What the service says of a field: the last part of the name of its issue is the field. */
export function issueOf(error: unknown, name: string): string | undefined {
  if (!(error instanceof MortiseProblem)) return undefined
  const issue = error.issues.find((issue) => issue.name === name || issue.name?.endsWith(`.${name}`))
  return issue && [issue.detail, issue.remedy].filter(Boolean).join(' ')
}

/** What a form's request failed on: all of it, above the buttons. */
export function FormProblem({ error }: { error: unknown }) {
  if (error == null) return null
  const issues = error instanceof MortiseProblem ? error.issues : []
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
