import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { ConfirmButton } from '../../parts/dialog.tsx'
import { CheckField } from '../../parts/fields.tsx'
import { counted } from '../../parts/numbers.ts'
import { Status } from '../../parts/status.tsx'
import { useChange } from '../../session/data.ts'
import { useMay, useProjectRef } from '../../session/project.tsx'
import { eventTypes } from './event-types.ts'
import { TopicDialog } from './topic-dialog.tsx'
import { destinationKey, eventKey, type Picture, type Topic, topicKey, useRouting } from './use-routes.ts'

/** The routes of one event, topic or destination, as marks that can be set. */
export function RoutePanel({ picture, chosen, onGone }: { picture: Picture; chosen: string; onGone: () => void }) {
  const event = picture.events.find((type) => eventKey(type) === chosen)
  const topic = picture.topics.find(({ id }) => topicKey(id) === chosen)
  const destination = picture.destinations.find(({ id }) => destinationKey(id) === chosen)
  const project = useProjectRef()
  const topics = picture.topics.map(({ id, name }) => ({ key: topicKey(id), id, name }))
  if (event !== undefined)
    return (
      <>
        <h3>{event}</h3>
        <p className="muted">{eventTypes[event]}</p>
        <Marks title="Goes to these topics" picture={picture} items={topics} pairOf={(key) => [chosen, key]} />
      </>
    )
  if (destination !== undefined)
    return (
      <>
        <div className="row">
          <h3 className="grow">
            <Link to={`/${project}/destinations/${encodeURIComponent(destination.name)}` as never}>
              {destination.name}
            </Link>
          </h3>
          <Status state={destination.status} />
        </div>
        <p className="muted">It gets each event once, even over several topics.</p>
        <Marks title="Gets these topics" picture={picture} items={topics} pairOf={(key) => [key, chosen]} />
      </>
    )
  if (topic !== undefined) return <TopicRoutes picture={picture} topic={topic} onGone={onGone} />
  return <p className="muted">It does not exist. It may have been deleted.</p>
}

function TopicRoutes({ picture, topic, onGone }: { picture: Picture; topic: Topic; onGone: () => void }) {
  const may = useMay('developer')
  const [renaming, setRenaming] = useState(false)
  const key = topicKey(topic.id)
  const remove = useChange('deleteTopic', {
    refreshes: ['listTopics', 'listEventTopicRoutes', 'listTopicDestinationRoutes'],
    done: `The topic ${topic.name} is deleted.`,
    onDone: onGone,
  })
  const lost = picture.routes.filter(({ from, to }) => from === key || to === key).length
  return (
    <>
      <h3>{topic.name}</h3>
      <div className="row">
        <Button disabled={!may} onClick={() => setRenaming(true)}>
          Rename
        </Button>
        <ConfirmButton
          label="Delete topic"
          title={`Delete ${topic.name}`}
          text={`${counted(lost, 'route')} of the topic are deleted too: its events are not sent any more.`}
          action="Delete topic"
          {...(lost > 1 && { typed: topic.name })}
          busy={remove.isPending}
          disabled={!may}
          onConfirm={() => remove.mutateAsync({ topicId: topic.id }).catch(() => undefined)}
        />
      </div>
      <Marks
        title="Has these events"
        picture={picture}
        items={picture.events.map((type) => ({ key: eventKey(type), id: type, name: type, help: eventTypes[type] }))}
        pairOf={(other) => [other, key]}
      />
      <Marks
        title="Goes to these destinations"
        picture={picture}
        items={picture.destinations.map(({ id, name }) => ({ key: destinationKey(id), id, name }))}
        pairOf={(other) => [key, other]}
      />
      {renaming && <TopicDialog topic={topic} onClose={() => setRenaming(false)} onDone={() => setRenaming(false)} />}
    </>
  )
}

interface Markable {
  key: string
  id: string
  name: string
  help?: string
}

/** A mark for each item: set where there is a route. */
function Marks({
  title,
  picture,
  items,
  pairOf,
}: {
  title: string
  picture: Picture
  items: Markable[]
  pairOf: (key: string) => [from: string, to: string]
}) {
  const may = useMay('developer')
  const { isBusy, routeEvent, routeTopic, remove } = useRouting()
  const idOf = (key: string) => key.slice(key.indexOf(' ') + 1)
  return (
    <fieldset className="marks">
      <legend>{title}</legend>
      {items.length === 0 && <p className="muted">There are none yet.</p>}
      {items.map(({ key, name, help }) => {
        const [from, to] = pairOf(key)
        const route = picture.routes.find((one) => one.from === from && one.to === to)
        const event = picture.events.find((type) => eventKey(type) === from)
        return (
          <CheckField
            key={key}
            label={name}
            help={help}
            checked={route !== undefined}
            disabled={!may || isBusy}
            onChange={(checked) => {
              if (!checked) return route && remove(route)
              return event === undefined ? routeTopic(idOf(from), idOf(to)) : routeEvent(event, idOf(to))
            }}
          />
        )
      })}
      {!may && <p className="muted small">A developer can change routes.</p>}
    </fieldset>
  )
}
