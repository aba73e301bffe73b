#include <thread>

#include "process/testing.h"

namespace helve::process {
namespace {

class SessionInputTest : public SessionsTest {
 protected:
  [[nodiscard]] std::shared_ptr<Session> start_open(const std::string& command, bool terminal = false) {
    auto request = shell_request(directory_, command);
    request.input = SessionRequest::Input::kOpen;
    request.terminal = terminal;
    return start(std::move(request));
  }
  // Waits until the command waits for input; true when it does.
  [[nodiscard]] static bool comes_to_wait(Session& session) {
    return session.wait({}, {}, in(kPatience)) == WaitOutcome::kInput;
  }
};

TEST_F(SessionInputTest, WithoutInputThereIsEndOfFile) { EXPECT_EQ(text_of(*run("cat; echo end")), "end\n"); }

TEST_F(SessionInputTest, TextIsGivenAndThenEnds) {
  auto request = shell_request(directory_, "wc -c");
  request.input = SessionRequest::Input::kText;
  request.input_text = std::string(300'000, 'x');
  const auto session = run(std::move(request));
  EXPECT_EQ(text_of(*session), "300000\n");
}

TEST_F(SessionInputTest, TextForACommandThatReadsNothingIsNoTrouble) {
  auto request = shell_request(directory_, "exec 0<&-; sleep 0.1; echo ok");
  request.input = SessionRequest::Input::kText;
  request.input_text = std::string(900'000, 'x');
  EXPECT_EQ(text_of(*run(std::move(request))), "ok\n");
}

TEST_F(SessionInputTest, WritesAndEndsTheInput) {
  const auto session = start_open("cat; echo end");
  EXPECT_TRUE(session->write("hello\n", false));
  EXPECT_TRUE(session->write("world\n", true));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "hello\nworld\nend\n");
  const auto late = session->write("x", false);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::kConflict);
}

TEST_F(SessionInputTest, AfterTheEndOfInputNothingCanBeWritten) {
  const auto session = start_open("sleep 300");
  EXPECT_TRUE(session->write("", true));
  const auto more = session->write("x", false);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, concat("The input of ", session->id(), " is closed."));
}

TEST_F(SessionInputTest, ACommandThatDoesNotReadFillsABoundedQueue) {
  const auto session = start_open("sleep 300");
  const std::string piece(100'000, 'x');
  int taken = 0;
  Expected<void> written = {};
  while (taken < 1000 && (written = session->write(piece, false))) ++taken;
  ASSERT_FALSE(written);
  EXPECT_LT(taken, 30);
  EXPECT_NE(written.error().message.find("does not read its input"), std::string::npos)
      << written.error().message;
  session->kill(milliseconds(0));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
}

TEST_F(SessionInputTest, RecognisesAShellThatReads) {
  const auto session = start_open("echo name?; read x; echo hello $x");
  EXPECT_TRUE(comes_to_wait(*session));
  const SessionStatus status = session->status();
  EXPECT_EQ(status.state, SessionState::kWaitingForInput);
  ASSERT_TRUE(status.waiting);
  EXPECT_EQ(status.waiting->program, "bash");
  EXPECT_FALSE(status.waiting->password);
  EXPECT_TRUE(session->write("you\n", false));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "name?\nhello you\n");
}

TEST_F(SessionInputTest, RecognisesCatAndPython) {
  for (const char* command : {"cat", "python3 -c 'input()'", "{ echo x | (sleep 0.1; cat <&3); } 3<&0"}) {
    const auto session = start_open(command);
    EXPECT_TRUE(comes_to_wait(*session)) << command;
    EXPECT_TRUE(session->write("x\n", true));
    EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  }
}

TEST_F(SessionInputTest, RecognisesPollAndSelectOnTheInputAlone) {
  for (const char* call :
       {"select.select([0],[],[])", "p=select.poll(); p.register(0,select.POLLIN); p.poll()"}) {
    const auto session = start_open(concat("python3 -c 'import select; ", call, "'"));
    EXPECT_TRUE(comes_to_wait(*session)) << call;
  }
}

TEST_F(SessionInputTest, SleepingOrWorkingIsNotWaitingForInput) {
  for (const char* command :
       {"sleep 2", "timeout 2 bash -c 'while :; do :; done'", "sleep 2 | cat",
        "timeout 2 python3 -c 'import select,os; r,w=os.pipe(); select.select([0,r],[],[])'"}) {
    const auto session = start_open(command);
    EXPECT_EQ(session->wait({}, {}, in(kPatience)), WaitOutcome::kEnded) << command;
  }
}

TEST_F(SessionInputTest, AReaderIsNotWaitingWhileAnotherProcessWorks) {
  const auto session = start_open("timeout 2 bash -c 'while :; do :; done' & read x");
  EXPECT_EQ(session->wait({}, {}, in(milliseconds(1500))), WaitOutcome::kTimeout);
}

TEST_F(SessionInputTest, ATerminalIsOne) {
  const auto session = start_open("tty -s && echo yes; stty size; [ -t 2 ] && echo err", true);
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "yes\n24 80\nerr\n");
}

TEST_F(SessionInputTest, TheTerminalIsTheCommandsOwn) {
  const auto session =
      start_open("echo to the terminal > /dev/tty; ps -o tpgid= -p $$ | tr -d ' '; echo $$", true);
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  const std::string text = text_of(*session);
  const auto lines = split(text, '\n');
  ASSERT_GE(lines.size(), 3U) << text;
  EXPECT_EQ(lines[0], "to the terminal");
  EXPECT_EQ(lines[1], lines[2]) << "the command's group is in the foreground";
}

TEST_F(SessionInputTest, WithPipesThereIsNoTerminalToAskAt) {
  const auto session = run("echo x 2>/dev/null > /dev/tty || echo none");
  EXPECT_NE(text_of(*session).find("none"), std::string::npos);
}

TEST_F(SessionInputTest, EndOfFileOnATerminal) {
  const auto session = start_open("stty -echo; cat; echo end", true);
  ASSERT_TRUE(comes_to_wait(*session));
  EXPECT_TRUE(session->write("typed\n", true));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "typed\nend\n");
}

TEST_F(SessionInputTest, EndOfFileOnATerminalInTheMiddleOfALine) {
  const auto session = start_open("cat >/dev/null; echo over", true);
  ASSERT_TRUE(session->write("no line break", true));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(session->status().exit_code, 0);
}

TEST_F(SessionInputTest, APasswordPromptIsCalledOne) {
  const auto session = start_open("read -s -p 'Password: ' x < /dev/tty; echo; echo got $x", true);
  ASSERT_TRUE(comes_to_wait(*session));
  ASSERT_TRUE(session->status().waiting);
  EXPECT_TRUE(session->status().waiting->password);
  EXPECT_TRUE(session->write("secret\n", false));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_EQ(text_of(*session), "Password: \ngot secret\n");
}

TEST_F(SessionInputTest, PythonsGetpassOnATerminal) {
  const auto session = start_open("python3 -c 'import getpass; print(len(getpass.getpass()))'", true);
  ASSERT_TRUE(comes_to_wait(*session));
  EXPECT_TRUE(session->status().waiting->password);
  EXPECT_TRUE(session->write("12345\n", false));
  EXPECT_TRUE(session->wait_for_end({}, in(kPatience)));
  EXPECT_TRUE(text_of(*session).ends_with("5\n")) << text_of(*session);
}

TEST_F(SessionInputTest, AnOrdinaryPromptOnATerminalIsNoPassword) {
  const auto session = start_open("read -p 'Name: ' x", true);
  ASSERT_TRUE(comes_to_wait(*session));
  EXPECT_FALSE(session->status().waiting->password);
}

}  // namespace
}  // namespace helve::process
