import { MortiseProblem } from '@mortise/client'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import type { Finding } from '../../parts/code-editor.tsx'
import { CheckField, FormProblem } from '../../parts/fields.tsx'
import { useFilters } from '../../parts/filters.tsx'
import { CodeEditor, DiffView } from '../../parts/lazy.tsx'
import { Card } from '../../parts/page.tsx'
import { useChange } from '../../session/data.ts'
import { type Content, lineOf, pathOfIssue, textOf, updateOf } from './config-change.ts'
import { ConfigForm } from './config-form.tsx'
import type { InstallationDetail } from './types.ts'

/** Edits the config, as a form or as JSON. What the service refuses appears at the line. */
export function ConfigEdit({ installation }: { installation: InstallationDetail }) {
  const { id: installationId, integrationId, config } = installation
  const [{ edit }, set] = useFilters()
  const [before] = useState(() => textOf(config.content))
  const [text, setText] = useState(before)
  const [skipsSampling, setSkipsSampling] = useState(false)
  const close = () => set({ edit: undefined })
  const save = useChange('updateInstallation', {
    refreshes: ['getInstallation', 'listConfigs', 'getInstallationStatus', 'listReadSchedules', 'listTimeline'],
    done: 'The config is saved.',
    onDone: close,
    showsProblem: false,
  })
  const parsed = parse(text)
  const update = 'content' in parsed ? updateOf(JSON.parse(before) as Content, parsed.content) : undefined
  const findings = [...findingsOf(parsed, text), ...localFindings(update, text), ...serviceFindings(save.error, text)]
  const canSave = update !== undefined && 'body' in update && update.body.updateMask.length > 0
  const asJson = edit === 'json'
  return (
    <Card
      title="Edit the config"
      actions={
        <fieldset className="switch">
          <legend className="visually-hidden">How to edit</legend>
          {[
            ['form', 'Form'],
            ['json', 'JSON'],
          ].map(([value, label]) => (
            <label key={value} className={asJson === (value === 'json') ? 'on' : undefined}>
              <input
                type="radio"
                name="edit"
                className="visually-hidden"
                checked={asJson === (value === 'json')}
                onChange={() => set({ edit: value })}
              />
              {label}
            </label>
          ))}
        </fieldset>
      }
    >
      {asJson ? (
        <CodeEditor label="Config as JSON" language="json" value={text} onChange={setText} findings={findings} />
      ) : 'content' in parsed ? (
        <ConfigForm
          installation={installation}
          content={parsed.content}
          error={save.error}
          onChange={(content) => setText(textOf(content))}
        />
      ) : (
        <p className="field-error">The JSON has an error: {parsed.message} Mend it under JSON.</p>
      )}
      {update !== undefined && 'issues' in update && (
        <ul className="field-error">
          {update.issues.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      {text !== before && 'content' in parsed && (
        <section aria-label="Your changes" className="stack">
          <h3>Your changes</h3>
          <DiffView before={before} after={textOf(parsed.content)} />
        </section>
      )}
      <CheckField
        label="Save without a trial read"
        help="By default, Mortise reads one record of each changed object before it saves."
        checked={skipsSampling}
        onChange={setSkipsSampling}
      />
      <FormProblem error={save.error} />
      <div className="row">
        <Button
          look="primary"
          busy={save.isPending}
          disabled={!canSave}
          onClick={() => {
            if (update === undefined || !('body' in update)) return
            save.mutate({ integrationId, installationId, query: { skipSampling: skipsSampling }, body: update.body })
          }}
        >
          {save.isPending && !skipsSampling ? 'Trying and saving…' : 'Save'}
        </Button>
        <Button onClick={close}>Cancel</Button>
      </div>
    </Card>
  )
}

type Parsed = { content: Content } | { message: string; line: number }

function parse(text: string): Parsed {
  try {
    const content: unknown = JSON.parse(text)
    if (typeof content === 'object' && content !== null && !Array.isArray(content))
      return { content: content as Content }
    return { message: 'A config is an object.', line: 1 }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? 0)
    return { message, line: text.slice(0, position).split('\n').length }
  }
}

function findingsOf(parsed: Parsed, _text: string): Finding[] {
  return 'message' in parsed ? [{ line: parsed.line, message: parsed.message, severity: 'error' }] : []
}

function localFindings(update: ReturnType<typeof updateOf> | undefined, text: string): Finding[] {
  if (update === undefined || !('issues' in update)) return []
  return update.issues.map(({ path, message }) => ({ line: lineOf(text, path), message, severity: 'error' }))
}

function serviceFindings(error: unknown, text: string): Finding[] {
  if (!(error instanceof MortiseProblem)) return []
  return error.issues.map(({ name = '', detail, remedy }) => ({
    line: lineOf(text, pathOfIssue(name)),
    message: [detail, remedy].filter(Boolean).join(' '),
    severity: 'error',
  }))
}
