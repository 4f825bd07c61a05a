import { EXIT_CODES } from '../exit-codes.js';
import { BACKEND_TOPIC } from './backend-topic.js';
import { columns } from './columns.js';
import { KEY_TOPIC } from './key-topic.js';
import { VARIABLES } from './variables.js';

interface Topic {
  readonly summary: string;
  readonly text: () => string;
}

/** What is not about one command: `mastra-lease help <topic>`. */
export const TOPICS = {
  keys: { summary: 'how keys, threads and owners are written', text: () => KEY_TOPIC },
  backends: { summary: 'how a backend is named, and how it is found', text: () => BACKEND_TOPIC },
  'exit-codes': { summary: 'what each means, and whether trying again helps', text: exitCodes },
  environment: { summary: 'the variables that are read', text: variables },
} as const satisfies Readonly<Record<string, Topic>>;

export function isTopicName(word: string | undefined): word is keyof typeof TOPICS {
  return word !== undefined && Object.hasOwn(TOPICS, word);
}

function exitCodes(): string {
  const rows = Object.entries(EXIT_CODES).map(([code, { meaning, retry }]) => [
    code.padStart(3),
    retry === '' ? meaning : `${meaning} (retry: ${retry})`,
  ]);
  return `Exit codes:

${columns(rows)}

Held, free and unknown are three answers: 7 to 10 mean that nobody knows, and
never that a key is free. exec passes the code of its command on.
`;
}

function variables(): string {
  return `Environment variables. A flag wins over a variable, a variable over the config:

${columns(Object.entries(VARIABLES))}
`;
}
