import { CONDITION_NAMES, type ConditionName } from '../../../../links/rules/conditions.ts'
import {
  canAddRule,
  createEmptyCondition,
  type FormRule,
  listConditionInputs,
  readFormRules,
} from './form.ts'

/** The rules after a button was pressed, and the id of the element to focus. */
type Changed = { rules: FormRule[]; focus: string }

/**
 * Applies a button of the panel without scripts: `rules:add`, `rules:<key>:up`, `down`, `remove`,
 * `add` and `drop:<condition>`. Returns undefined for other buttons.
 */
export function changeRules(
  given: Readonly<Record<string, unknown>>,
  action: string,
  zone: string,
): Changed | undefined {
  const [subject, key = '', verb = '', dropped] = action.split(':')
  if (subject !== 'rules') return undefined
  const byKey = readFormRules(given)
  const rules = [...byKey.values()]
  if (key === 'add') return addRule(rules, parseConditionName(given['new-condition']), zone)
  const index = [...byKey.keys()].indexOf(key)
  const rule = rules[index]
  if (!rule) return { rules, focus: 'rules' }
  switch (verb) {
    case 'up':
    case 'down':
      return move(rules, index, verb === 'up' ? index - 1 : index + 1)
    case 'remove':
      return { rules: rules.toSpliced(index, 1), focus: 'rules' }
    case 'add': {
      const name = parseConditionName(given[`rule-${key}-add`])
      const inputs = { ...createEmptyCondition(name, zone), ...rule.inputs }
      const focus = `rule-${index}-${listConditionInputs(name)[0]}`
      return { rules: rules.with(index, { ...rule, inputs }), focus }
    }
    case 'drop': {
      const names = listConditionInputs(parseConditionName(dropped))
      const kept = Object.entries(rule.inputs).filter(([name]) => !names.includes(name))
      const inputs = Object.fromEntries(kept)
      return { rules: rules.with(index, { ...rule, inputs }), focus: `rule-${index}-add` }
    }
    default:
      return { rules, focus: 'rules' }
  }
}

function addRule(rules: FormRule[], name: ConditionName, zone: string): Changed {
  if (!canAddRule(rules)) return { rules, focus: 'rules' }
  const rule = { to: '', inputs: createEmptyCondition(name, zone) }
  return { rules: [...rules, rule], focus: `rule-${rules.length}-${listConditionInputs(name)[0]}` }
}

function move(rules: FormRule[], from: number, to: number): Changed {
  const rule = rules[from]
  if (!rule || to < 0 || to >= rules.length) return { rules, focus: `rule-${from}` }
  return { rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule), focus: `rule-${to}` }
}

function parseConditionName(value: unknown): ConditionName {
  return CONDITION_NAMES.find((name) => name === value) ?? 'country'
}
