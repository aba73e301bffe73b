import React from 'react';

type Props = { name: string; onClick?: (e: Event) => void };

/** Greets. */
export const Hello: React.FC<Props> = ({ name, onClick }) => {
  const [state, setState] = useState<number>(0);
  return <button onClick={() => setState(state + 1)}>{name && <b>{name}</b>}</button>;
};

export default class App extends React.Component<Props> {
  state = { a: 1 };
  render() { return <Hello name="x" />; }
}
